import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Marked } from '../../ui/marked.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, durationText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { Keys } from './keys.js';
import { Processes } from './processes.js';
import { Stores } from './stores.js';
import { Tasks } from './tasks.js';
import { UNPROTECTED, useWarnings } from './warnings.js';

type System = Schema<'System'>;

/** A due job waits longer than this only where workers are missing or busy. */
const SLOW_QUEUE_MS = 30_000;

export function Status(): ReactNode {
  const { data, error, refetch } = useQuery(systemQuery);
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <Warnings />
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
function Warnings(): ReactNode {
  const warnings = useWarnings();
  if (warnings.length === 0)
    return (
      <p>
        <Mark tone="good">No warnings</Mark>
      </p>
    );
  return (
    <section className="stack" aria-label="Warnings">
      <h2>{countText(warnings.length, 'warning')}</h2>
      {warnings.map(({ code, text, since }) => (
        <Notice key={code} tone="warn">
          <strong className="foreign">
            <Marked text={text} />
          </strong>
          {code === UNPROTECTED && <SecondFactorLinks />}
          {since !== null && (
            <span className="small quiet">
              noticed <Ago at={since} />
            </span>
          )}
        </Notice>
      ))}
    </section>
  );
}

const SecondFactorLinks = (): ReactNode => (
  <span className="small">
    <To to="/access" search={{ tab: 'account' }}>
      Set up your own
    </To>
    {' · '}
    <To to="/access" search={{ tab: 'people' }}>
      Who has one
    </To>
  </span>
);

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
