import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type List } from '../../api/lists.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Ago, durationText, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { kindTitle } from './kinds.js';
import { lengthText } from './job-times.js';
import styles from './job-table.module.css';
import { doingText, resultText } from './result-text.js';

type Job = Schema<'Job'>;

const didText = (job: Job): string => (job.phase === 'ended' ? resultText(job) : doingText(job));

const KIND: Column<Job> = {
  title: 'Job',
  cell: (job) => <To to={`/jobs/${job.id}`}>{kindTitle(job.kind)}</To>,
};

const DEVICE: Column<Job> = { title: 'Device', narrow: 'line', cell: (job) => <DeviceLink id={job.deviceId} /> };

const REST: readonly Column<Job>[] = [
  { title: 'State', narrow: 'beside', cell: (job) => <StateMark state={job.outcome ?? job.phase} /> },
  { title: 'Result', cell: (job) => <Result job={job} />, brief: didText },
  {
    title: 'Started by',
    cell: (job) => (
      <span className="foreign cut" title={job.reason ? `${job.startedByName}: ${job.reason}` : job.startedByName}>
        {job.startedByName}
        {job.reason && <span className="quiet"> · {job.reason}</span>}
      </span>
    ),
  },
  { title: 'Created', narrow: 'line', cell: (job) => <Ago at={job.createdAt} /> },
  { title: 'Duration', cell: (job) => <Took job={job} />, isNumber: true },
];

/** A list of jobs. @param ofDevice without the column of the device */
export function JobTable({
  list,
  empty,
  ofDevice = false,
}: {
  list: List<Job>;
  empty: ReactNode;
  ofDevice?: boolean;
}): ReactNode {
  const columns = ofDevice ? [KIND, ...REST] : [KIND, DEVICE, ...REST];
  return (
    <div className={ofDevice ? styles['oneLine'] : `${styles['oneLine']} ${styles['fitted']}`}>
      <ListTable label="Jobs" list={list} columns={columns} rowKey={(job) => job.id} empty={empty} />
    </div>
  );
}

/** How long it took, or takes until now. */
function Took({ job }: { job: Job }): ReactNode {
  const now = useNow();
  if (job.endedAt !== null || job.startedAt === null) return lengthText(job);
  return (
    <span className="quiet" title="so far">
      {durationText(Math.max(0, now - new Date(job.startedAt).getTime()))} …
    </span>
  );
}

/** What came of it, or what it does now; of a failure the cause in a few words, and the whole message as a hint. */
function Result({ job }: { job: Job }): ReactNode {
  const text = didText(job);
  return (
    <span className={job.failure ? 'foreign cut' : 'foreign cut quiet'} title={job.failure?.message ?? text}>
      {text || '–'}
    </span>
  );
}
