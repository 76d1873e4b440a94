import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { bytesText, countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { systemQuery } from '../../api/queries.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Strip } from '../../ui/rows/strip.js';
import { Ago, durationText, useNow } from '../../ui/time.js';
import { fullText, growthText, isDiskShort, latencyText, rateText } from './disk-words.js';
import { Keys } from './keys.js';
import { Processes } from './processes.js';
import { Stores } from './stores.js';
import { Tasks } from './tasks.js';
import { WarningList } from './warnings/warning-list.js';
import { useWarnings } from './warnings/warnings.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type System = Schema<'System'>;

/** A due job waits longer than this only where workers are missing or busy. */
const SLOW_QUEUE_MS = 30_000;

export function Status(): ReactNode {
  const { data, error, refetch } = useQuery(systemQuery);
  const warnings = useWarnings().length;
  if (!data) return error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />;
  return (
    <>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      <Measured system={data} />
      {warnings === 0 ? (
        <p>
          <Mark tone="good">No warnings</Mark>
        </p>
      ) : (
        <WarningList title={countText(warnings, 'warning')} />
      )}
      <div className="columns">
        <Stores system={data} />
        <Keys />
      </div>
      <Processes processes={data.processes} answering={data.version} />
      <Tasks processes={data.processes} />
    </>
  );
}

/** How the gateway is now, in figures. */
function Measured({ system: { traffic, jobs, storage, processes, lastBackup } }: { system: System }): ReactNode {
  const now = useNow();
  const { database, disk } = storage;
  const isSlow = jobs.oldestDueMs > SLOW_QUEUE_MS;
  const others = processes.filter(({ alive }) => alive).length > 1 ? ', of one process' : '';
  return (
    <Strip
      label="How the gateway is now"
      of={[
        { title: 'Requests a second', value: rateText(traffic.perSecond), note: `in the last minute${others}` },
        { title: 'Answer time, 99 %', value: latencyText(traffic.p99Ms), note: 'with the time of devices' },
        {
          title: 'Jobs waiting',
          value: numberText(jobs.due),
          note: isSlow ? `the oldest for ${durationText(jobs.oldestDueMs)}` : `${numberText(jobs.running)} running`,
          tone: isSlow ? 'warn' : undefined,
          to: '/jobs',
          search: { phase: 'queued' },
        },
        {
          title: 'Database',
          value: bytesText(database.bytes),
          note: growthText(database.bytesPerDay) || 'all tables and indexes',
        },
        ...(disk
          ? [
              {
                title: 'Free disk',
                value: bytesText(disk.freeBytes),
                note: fullText(disk, now),
                tone: isDiskShort(disk, now) ? ('warn' as const) : undefined,
              },
            ]
          : []),
        {
          title: 'Backup of the gateway',
          value: lastBackup ? <Ago at={lastBackup.madeAt} /> : 'none',
          note: lastBackup ? bytesText(lastBackup.bytes) : 'npm run backup makes one',
          tone: lastBackup ? undefined : 'warn',
        },
      ]}
    />
  );
}
