import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { durationText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { useWarnings } from '../system/warnings.js';
import { ProofBadge } from '../audit/proof-badge.js';
import styles from './overview.module.css';

/** A queue that waits longer than this is slow. */
const SLOW_QUEUE_MS = 30_000;

/** The gateway itself: processes, queue, database, audit. */
export function Health(): ReactNode {
  const mayReadAudit = useMay('audit.read');
  const { data, error } = useQuery(systemQuery);
  const warnings = useWarnings().length;
  if (error)
    return (
      <Card title="The gateway">
        <Failure error={error} />
      </Card>
    );
  const proof = (
    <span key="audit" className={styles['line']}>
      {mayReadAudit ? <ProofBadge isShort /> : signedText(data?.audit)}
      {mayReadAudit && <To to="/audit">Audit</To>}
    </span>
  );
  return (
    <Card title="The gateway">
      {data ? (
        <Facts of={factsOf(data, proof, warnings)} />
      ) : (
        <Facts of={WAITING.map((name) => [name, name === 'Audit' ? proof : '…'])} />
      )}
    </Card>
  );
}

/** Each has one line, and the same one while it is read: what comes below does not move. */
const WAITING = ['Processes', 'Queue', 'Database', 'Audit', 'Version', 'Warnings'];

const signedText = (audit: Schema<'System'>['audit'] | undefined): string =>
  audit ? `${countText(audit.size, 'line')} signed` : audit === null ? 'not signed yet' : '…';

function factsOf({ processes, jobs, database, version }: Schema<'System'>, proof: ReactNode, warnings: number) {
  const alive = processes.filter(({ alive: isAlive }) => isAlive);
  const isDown = (check: string) => alive.some(({ checks }) => checks[check] === 'unavailable');
  const failing = alive.filter(({ checks }) => Object.values(checks).includes('unavailable'));
  return [
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
    ['Queue', <QueueText key="queue" jobs={jobs} />],
    [
      'Database',
      <Mark key="database" tone={isDown('database') ? 'bad' : 'good'}>
        Postgres {database.version}
        {isDown('database') ? ', not reached by all' : ''}
      </Mark>,
    ],
    ['Audit', proof],
    ['Version', version],
    [
      'Warnings',
      warnings === 0 ? (
        'none'
      ) : (
        <To key="warnings" to="/system">
          {countText(warnings, 'warning')}
        </To>
      ),
    ],
  ] as const;
}

/** How many jobs wait, and how long the oldest of them. */
function QueueText({ jobs: { due, running, oldestDueMs } }: Pick<Schema<'System'>, 'jobs'>): ReactNode {
  return (
    <Mark tone={oldestDueMs > SLOW_QUEUE_MS ? 'warn' : 'good'}>
      {due} waiting{due > 0 ? `, the oldest for ${durationText(oldestDueMs)}` : ''}, {running} running
    </Mark>
  );
}
