import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Marked } from '../../ui/marked.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, durationText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { useUnprotectedNames } from '../access/accounts.js';
import { Keys } from './keys.js';
import { Processes } from './processes.js';
import { Stores } from './stores.js';
import { Tasks } from './tasks.js';

type System = Schema<'System'>;

/** A due job waits longer than this only where workers are missing or busy. */
const SLOW_QUEUE_MS = 30_000;

export function Status(): ReactNode {
  const { data, error, refetch } = useQuery(systemQuery);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <Warnings warnings={data.warnings} />
      <div className="columns">
        <Work system={data} />
        <Stores system={data} />
        <Keys />
      </div>
      <Processes processes={data.processes} answering={data.version} />
      <Tasks processes={data.processes} />
    </>
  );
}

/** What is wrong now, with what to do: the text of each says both. */
function Warnings({ warnings }: Pick<System, 'warnings'>): ReactNode {
  const unprotected = useUnprotectedNames();
  const count = warnings.length + (unprotected.length > 0 ? 1 : 0);
  if (count === 0)
    return (
      <p>
        <Mark tone="good">No warnings</Mark>
      </p>
    );
  return (
    <section className="stack" aria-label="Warnings">
      <h2>{countText(count, 'warning')}</h2>
      {unprotected.length > 0 && <Unprotected names={unprotected} />}
      {warnings.map(({ code, text, since }) => (
        <Notice key={code} tone="warn">
          <strong className="foreign">
            <Marked text={text} />
          </strong>
          <span className="small quiet">
            noticed <Ago at={since} />
          </span>
        </Notice>
      ))}
    </section>
  );
}

function Unprotected({ names }: { names: readonly string[] }): ReactNode {
  const who = names.length === 1 ? '1 administrator has' : `${numberText(names.length)} administrators have`;
  return (
    <Notice tone="warn">
      <strong className="foreign">
        {who} no second factor: {names.slice(0, 5).join(', ')}
        {names.length > 5 && ' …'}. A stolen password then opens everything.
      </strong>
      <span className="small">
        <To to="/access" search={{ tab: 'account' }}>
          Set up your own
        </To>
        {' · '}
        <To to="/access" search={{ tab: 'people' }}>
          Who has one
        </To>
      </span>
    </Notice>
  );
}

function Work({ system: { jobs, queue, version } }: { system: System }): ReactNode {
  const isSlow = jobs.oldestDueMs > SLOW_QUEUE_MS;
  return (
    <Card title="Job queue">
      <Facts
        of={[
          [
            'Waiting',
            isSlow ? (
              <Mark key="due" tone="warn">
                {jobs.due} due, the oldest for {durationText(jobs.oldestDueMs)}
              </Mark>
            ) : (
              <Mark key="due" tone="good">
                {jobs.due === 0 ? 'none' : `${jobs.due} due`}
              </Mark>
            ),
          ],
          [
            'Running',
            <To key="running" to="/jobs" search={{ phase: 'running' }}>
              {jobs.running}
            </To>,
          ],
          ['Queue', queue === 'redis' ? 'Redis' : 'Postgres'],
          ['Version', version],
        ]}
      />
    </Card>
  );
}
