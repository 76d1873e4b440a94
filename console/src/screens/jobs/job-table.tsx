import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type List } from '../../api/lists.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { kindTitle } from './kinds.js';
import { lengthText } from './job-times.js';

type Job = Schema<'Job'>;

const KIND: Column<Job> = {
  title: 'Job',
  cell: (job) => <To to={`/jobs/${job.id}`}>{kindTitle(job.kind)}</To>,
};

const DEVICE: Column<Job> = { title: 'Device', cell: (job) => <DeviceLink id={job.deviceId} /> };

const REST: readonly Column<Job>[] = [
  { title: 'State', cell: (job) => <StateMark state={job.outcome ?? job.phase} /> },
  { title: 'What is happening', cell: (job) => <Happening job={job} /> },
  {
    title: 'Started by',
    cell: (job) => (
      <span className="foreign cut" title={job.startedByName}>
        {job.startedByName}
      </span>
    ),
  },
  { title: 'Created', cell: (job) => <Ago at={job.createdAt} /> },
  { title: 'Took', cell: (job) => lengthText(job), isNumber: true },
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
  return <ListTable label="Jobs" list={list} columns={columns} rowKey={(job) => job.id} empty={empty} />;
}

function Happening({ job }: { job: Job }): ReactNode {
  const text = job.failure
    ? job.failure.message
    : job.phase === 'ended'
      ? (job.reason ?? '')
      : (job.progress?.text ?? job.waitReason?.replaceAll('_', ' ') ?? job.step);
  return (
    <span className="foreign cut quiet" title={text}>
      {text || '–'}
    </span>
  );
}
