import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { durationText } from '../../ui/time.js';
import { To } from '../../ui/to.js';

/** A queue that waits longer than this is slow. */
const SLOW_QUEUE_MS = 30_000;

/** The gateway itself: processes, queue, database, audit. */
export function Health(): ReactNode {
  const { data, error } = useQuery(systemQuery);
  if (error)
    return (
      <Card title="The gateway">
        <Failure error={error} />
      </Card>
    );
  if (!data)
    return (
      <Card title="The gateway">
        <Loading />
      </Card>
    );
  const { processes, jobs, database, audit, warnings, version } = data;
  const alive = processes.filter(({ alive: isAlive }) => isAlive);
  const failing = alive.filter(({ checks }) => Object.values(checks).includes('unavailable'));
  return (
    <Card title="The gateway">
      <Facts
        of={[
          [
            'Processes',
            failing.length > 0 ? (
              <Mark key="processes" tone="bad">
                {failing.length} of {alive.length} not ready
              </Mark>
            ) : (
              <Mark key="processes" tone="good">
                {alive.length} alive
              </Mark>
            ),
          ],
          [
            'Queue',
            jobs.oldestDueMs > SLOW_QUEUE_MS ? (
              <Mark key="queue" tone="warn">
                {jobs.due} wait, the oldest for {durationText(jobs.oldestDueMs)}
              </Mark>
            ) : (
              <Mark key="queue" tone="good">
                {jobs.due} wait, {jobs.running} run
              </Mark>
            ),
          ],
          [
            'Database',
            <Mark key="database" tone="good">
              Postgres {database.version}
            </Mark>,
          ],
          [
            'Audit',
            audit?.signedAt ? (
              <To key="audit" to="/audit">
                {audit.size} leaves, signed {durationText(audit.ageMs ?? 0)} ago
              </To>
            ) : (
              'no checkpoint yet'
            ),
          ],
          ['Version', version],
          [
            'Warnings',
            warnings.length === 0 ? (
              'none'
            ) : (
              <To key="warnings" to="/system">
                {warnings.length}
              </To>
            ),
          ],
        ]}
      />
    </Card>
  );
}
