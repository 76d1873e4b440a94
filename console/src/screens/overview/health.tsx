import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, durationText, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { fullText, isDiskShort, latencyText, rateText } from '../system/disk-words.js';
import { ProofBadge } from '../audit/proof-badge.js';
import styles from './overview.module.css';

/** A queue that waits longer than this is slow. */
const SLOW_QUEUE_MS = 30_000;

/** The gateway itself: processes, queue, database, audit. */
export function Health(): ReactNode {
  const mayReadAudit = useMay('audit.read');
  const { data, error } = useQuery(systemQuery);
  const now = useNow();
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
        <Facts of={factsOf(data, { proof, now })} />
      ) : (
        <Facts of={WAITING.map((name) => [name, name === 'Audit' ? proof : '…'])} />
      )}
    </Card>
  );
}

/** Each has one line, and the same one while it is read: what comes below does not move. */
const WAITING = ['Processes', 'Requests', 'Queue', 'Database', 'Free disk', 'Last backup', 'Audit', 'Version'];

interface Beside {
  readonly proof: ReactNode;
  readonly now: number;
}

const signedText = (audit: Schema<'System'>['audit'] | undefined): string =>
  audit ? `${countText(audit.size, 'line')} signed` : audit === null ? 'not signed yet' : '…';

function factsOf(system: Schema<'System'>, { proof, now }: Beside) {
  const { processes, jobs, database, version, traffic, storage, lastBackup } = system;
  const { disk } = storage;
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
    ['Requests', `${rateText(traffic.perSecond)} a second, 99 of 100 within ${latencyText(traffic.p99Ms)}`],
    ['Queue', <QueueText key="queue" jobs={jobs} />],
    [
      'Database',
      <Mark key="database" tone={isDown('database') ? 'bad' : 'good'}>
        {bytesText(storage.database.bytes)}
        {isDown('database') ? ', not reached by all' : `, Postgres ${database.version}`}
      </Mark>,
    ],
    [
      'Free disk',
      disk && (
        <span key="disk">
          <Mark tone={isDiskShort(disk, now) ? 'warn' : 'good'}>{bytesText(disk.freeBytes)}</Mark>
          <span className="small quiet"> · {fullText(disk, now)}</span>
        </span>
      ),
    ],
    [
      'Last backup',
      lastBackup ? (
        <Ago key="backup" at={lastBackup.madeAt} />
      ) : (
        <Mark key="backup" tone="warn">
          none yet
        </Mark>
      ),
    ],
    ['Audit', proof],
    ['Version', version],
  ] as const;
}

/** How many jobs wait, and how long the oldest of them; how many run is one of the numbers at the top. */
function QueueText({ jobs: { due, oldestDueMs } }: Pick<Schema<'System'>, 'jobs'>): ReactNode {
  return (
    <Mark tone={oldestDueMs > SLOW_QUEUE_MS ? 'warn' : 'good'}>
      {due === 0 ? 'none waits' : `${numberText(due)} waiting, the oldest for ${durationText(oldestDueMs)}`}
    </Mark>
  );
}
