import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type List, useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark, stateText } from '../../ui/mark.js';
import { GroupButton, Inside, useOpenGroups } from '../../ui/rows/group-button.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago, durationText, exactText, useNow } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { goesOn, type JobGroup, groupState, groupText, jobGroups, timesOf } from './job-groups.js';
import { kindTitle, sameAgainText } from './kinds.js';
import { lengthText } from './job-times.js';
import styles from './job-table.module.css';
import { doingText, groupResultText, resultText } from './result-text.js';
import { StartAgain } from './start-again.js';

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
        {job.reason && (
          <>
            <br />
            <span className="small quiet">{job.reason.replace(/^backup policy /, 'policy ')}</span>
          </>
        )}
      </span>
    ),
  },
  { title: 'Created', narrow: 'line', cell: (job) => <Ago at={job.createdAt} /> },
  { title: 'Duration', cell: (job) => <Took job={job} />, isNumber: true },
];

/** Where the widths are not given, the texts have what the other columns leave, and no column is out of sight. */
function shrinking(column: Column<Job>): Column<Job> {
  const share = SHARES[column.title];
  return share === undefined ? column : { ...column, share };
}

const SHARES: Readonly<Record<string, number>> = { Result: 65, 'Started by': 35 };

interface JobTableProps {
  list: List<Job>;
  empty: ReactNode;
  /** Without the column of the device. */
  ofDevice?: boolean;
}

/** A list of jobs. */
export function JobTable({ list, empty, ofDevice = false }: JobTableProps): ReactNode {
  const [again, setAgain] = useState<Job | null>(null);
  const mayStart = useMay('job.start') && list.rows.some(isRepeatable);
  const columns = [
    KIND,
    ...(ofDevice ? REST.map(shrinking) : [DEVICE, ...REST]),
    ...(mayStart ? [againColumn(setAgain)] : []),
  ];
  return (
    <div
      className={[styles['oneLine'], !ofDevice && styles['fitted'], !ofDevice && mayStart && styles['acting']]
        .filter(Boolean)
        .join(' ')}
    >
      <ListTable label="Jobs" list={list} columns={columns} rowKey={(job) => job.id} empty={empty} />
      {again && <StartAgain job={again} onClose={() => setAgain(null)} />}
    </div>
  );
}

const isRepeatable = ({ outcome }: Job): boolean => outcome === 'failed' || outcome === 'not_executed';

/** A button only where another try can end in another way; else it is in the menu. */
const labelOf = ({ kind, failure }: Job): { label?: string } =>
  failure && sameAgainText(failure) ? {} : { label: `Start again: ${kindTitle(kind)}` };

const againColumn = (start: (job: Job) => void): Column<Job> => ({
  title: '',
  cell: (job) =>
    isRepeatable(job) && (
      <RowActions
        of={`the job ${kindTitle(job.kind)} of ${exactText(job.createdAt)}`}
        actions={[{ text: 'Start again', ...labelOf(job), onSelect: () => start(job) }]}
      />
    ),
});

/** A row: a job, or those of one rollout or one run of a policy. */
interface Line {
  readonly key: string;
  readonly job: Job;
  readonly group: JobGroup<Job> | null;
  readonly isInside: boolean;
}

function linesOf(jobs: readonly Job[], open: ReadonlySet<string>): readonly Line[] {
  const alone = (job: Job, isInside = false): Line => ({ key: job.id, job, group: null, isInside });
  return jobGroups(jobs).flatMap((one) => {
    if (!('jobs' in one)) return [alone(one)];
    const head: Line = { key: one.key, job: one.jobs[0], group: one, isInside: false };
    return open.has(one.key) ? [head, ...one.jobs.map((job) => alone(job, true))] : [head];
  });
}

/** All jobs, those that were started together in one row that opens. */
export function FoldedJobTable({ list, empty }: Omit<JobTableProps, 'ofDevice'>): ReactNode {
  const [open, toggle] = useOpenGroups();
  const cells = groupCells(useRunning(list.rows));
  const group = ({ key, jobs }: JobGroup<Job>) => (
    <GroupButton isOpen={open.has(key)} what="its jobs" onToggle={() => toggle(key)}>
      {numberText(jobs.length)} × {kindTitle(jobs[0].kind)}
    </GroupButton>
  );
  const columns = [KIND, DEVICE, ...REST].map((column): Column<Line> => {
    const { cell, brief, ...rest } = column;
    const inGroup = cells[column.title];
    return {
      ...rest,
      cell: (line) => {
        if (line.group && column === KIND) return group(line.group);
        if (line.group) return inGroup ? inGroup(line.group) : cell(line.job);
        return line.isInside && column === KIND ? <Inside>{cell(line.job)}</Inside> : cell(line.job);
      },
      ...(brief ? { brief: (line: Line) => (line.group && inGroup ? inGroup(line.group) : brief(line.job)) } : {}),
    };
  });
  return (
    <div className={`${styles['oneLine']} ${styles['fitted']}`}>
      <ListTable
        label="Jobs"
        list={{ ...list, rows: linesOf(list.rows, open) }}
        columns={columns}
        rowKey={({ key }) => key}
        empty={empty}
      />
    </div>
  );
}

/** The names of the rollouts that run, where some jobs have the reason of one. */
function useRunning(jobs: readonly Job[]): readonly string[] {
  const isAsked = useMay('rollout.read') && jobs.some(({ reason }) => reason !== null);
  const query = { state: 'running', limit: 100 };
  const { rows } = useList('/v1/rollouts', { key: KEYS.rollouts.running, query, enabled: isAsked });
  return rows.map(({ name }) => name);
}

/** What a group shows in place of the value of its newest job. @param running the rollouts that may start more */
const groupCells = (running: readonly string[]): Readonly<Record<string, (group: JobGroup<Job>) => ReactNode>> => ({
  Device: ({ jobs }) => countText(new Set(jobs.map(({ deviceId }) => deviceId)).size, 'device'),
  State: ({ jobs }) => <GroupState jobs={jobs} goesOn={goesOn(jobs, running)} />,
  Result: ({ jobs }) => (
    <span className="quiet cut">
      {groupState(jobs).count === undefined ? groupResultText(jobs) : groupText(jobs, stateText)}
    </span>
  ),
  Created: ({ jobs }) => <Began first={timesOf(jobs).createdAt} newest={jobs[0].createdAt} />,
  Duration: ({ jobs }) => <Took job={timesOf(jobs)} />,
});

/** When the first of them was created, and the newest, where that is another time. */
function Began({ first, newest }: { first: string; newest: string }): ReactNode {
  if (Date.parse(newest) - Date.parse(first) < 60_000) return <Ago at={first} />;
  return (
    <>
      <Ago at={first} />, <br />
      <span className="small quiet">
        newest <Ago at={newest} />
      </span>
    </>
  );
}

/** All that have succeeded of a rollout that runs are not all of it. */
function GroupState({ jobs, goesOn: more }: { jobs: readonly Job[]; goesOn: boolean }): ReactNode {
  const { state, count } = groupState(jobs);
  return more && state === 'succeeded' ? <StateMark state="running" /> : <StateMark state={state} count={count} />;
}

/** How long it took, or takes until now. */
function Took({ job }: { job: ReturnType<typeof timesOf> }): ReactNode {
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
