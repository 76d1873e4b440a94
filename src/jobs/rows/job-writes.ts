import { type EntityManager } from 'typeorm';
import { storableJson, storableText } from '../../database/storable.js';
import { type JobRow } from './job.entity.js';
import { type LogLine } from './job-state.js';
import { leaseEnd } from './lease-terms.js';
import { columnsOf } from '../../database/columns-of.js';

/*
 * SQL for many jobs at once, with arrays (`unnest`): a hundred jobs cost as many statements as one. Only `JobRows` calls
 * it.
 */

/** The queue message of a dispatch; a lease is identified by its ticket. It is valid while the row has this epoch. */
export interface Ticket {
  readonly jobId: string;
  readonly epoch: number;
}

export interface NewJobLogLine extends LogLine {
  readonly jobId: string;
  readonly step: string;
}

/** A job's new state, as the parameters of the statement. */
export type StateValues = readonly unknown[];

/** Columns that a save writes, in the order of `stateValues`, with their types. */
const SAVED_COLUMNS = {
  id: 'uuid',
  phase: 'text',
  outcome: 'text',
  cursor: 'jsonb',
  wake_at: 'timestamptz',
  wait_reason: 'text',
  attempts: 'integer',
  lost_workers: 'integer',
  intent: 'jsonb',
  cancel_asked_at: 'timestamptz',
  result: 'jsonb',
  failure: 'jsonb',
  ended_at: 'timestamptz',
  epoch: 'integer',
} as const;

const columns = Object.keys(SAVED_COLUMNS);
const arrays = Object.values(SAVED_COLUMNS).map((type, position) => `$${position + 2}::${type}[]`);

/** $1 the lease in milliseconds. A save renews the lease of a running job and removes that of any other. */
const WRITE_STATES = `
  update job set
    ${columns
      .slice(1)
      .map((column) => `${column} = line.${column}`)
      .join(', ')},
    lease_until = case when line.phase = 'running' then ${leaseEnd('$1')} end,
    owner       = case when line.phase = 'running' then job.owner end
  from unnest(${arrays.join(', ')}) as line (${columns.join(', ')})
  where job.id = line.id`;

/** @throws TypeError for a value that is no JSON */
export function stateValues(job: JobRow): StateValues {
  return [
    job.id,
    job.phase,
    job.outcome,
    storableJson(job.cursor),
    job.wakeAt,
    job.waitReason,
    job.attempts,
    job.lostWorkers,
    job.intent && storableJson(job.intent),
    job.cancelAskedAt,
    job.result && storableJson(job.result),
    job.failure && storableJson(job.failure),
    job.endedAt,
    job.epoch,
  ];
}

/** Writes states that were decided under a lock on their rows, each of another job. */
export async function writeStates(tx: EntityManager, states: readonly StateValues[], leaseMs: number): Promise<void> {
  await tx.query(WRITE_STATES, [leaseMs, ...columns.map((_, position) => states.map((values) => values[position]))]);
}

/** Appends lines to the logs of jobs, in the given order. */
export async function writeLogLines(tx: EntityManager, lines: readonly NewJobLogLine[], at: Date): Promise<void> {
  if (lines.length === 0) return;
  const positions = new Map<string, number>();
  const positionOf = ({ jobId }: NewJobLogLine) => {
    const position = (positions.get(jobId) ?? 0) + 1;
    positions.set(jobId, position);
    return position;
  };
  await tx.query(
    `insert into job_log_line (job_id, ordinal, at, step, text, facts)
     select line.job_id, line.position + coalesce((select max(ordinal) from job_log_line where job_id = line.job_id), 0),
            $1, line.step, line.text, line.facts
       from unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::jsonb[])
            as line (job_id, position, step, text, facts)`,
    [
      at,
      lines.map(({ jobId }) => jobId),
      lines.map(positionOf),
      lines.map(({ step }) => step),
      lines.map(({ text }) => storableText(text)),
      lines.map(({ facts }) => storableJson(facts ?? {})),
    ],
  );
}

/** A row whose lease the worker still has, with what changed since the claim. */
export interface LeasedRow {
  readonly id: string;
  readonly epoch: number;
  readonly cancelAskedAt: Date | null;
}

/**
 * The check that protects all saves: locks the rows of the tickets whose job is running, has the ticket's epoch and a
 * valid lease, until the commit. All processes lock in the order of the ids, so that they never deadlock.
 * @param waitForLocks whether to wait for locked rows, or to leave them out
 * @returns the rows by id; tickets without one have lost their lease
 */
export async function lockLeased(
  tx: EntityManager,
  tickets: readonly Ticket[],
  waitForLocks: boolean,
): Promise<Map<string, LeasedRow>> {
  const rows = await tx.query<LeasedRow[]>(
    `select job.id, job.epoch, job.cancel_asked_at as "cancelAskedAt"
       from job join unnest($1::uuid[], $2::integer[]) as ticket (id, epoch) using (id, epoch)
      where job.phase = 'running' and job.lease_until > clock_timestamp()
      order by job.id for update of job ${waitForLocks ? '' : 'skip locked'}`,
    columnsOf(tickets, 'jobId', 'epoch'),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A ticket with the worker that claims its job. */
export interface Claim extends Ticket {
  readonly owner: string;
}

/**
 * Claims dispatched jobs for their workers, in one statement.
 * @param columns of the returned rows
 * @param waitForLocks as in `lockLeased`
 */
export async function claimRows(
  db: Pick<EntityManager, 'query'>,
  claims: readonly Claim[],
  { columns, leaseMs, now, waitForLocks }: { columns: string; leaseMs: number; now: Date; waitForLocks: boolean },
): Promise<JobRow[]> {
  const [rows] = await db.query<[JobRow[], number]>(
    `with ours as materialized (
       select job.id, claim.owner
         from job join unnest($1::uuid[], $2::integer[], $3::text[]) as claim (id, epoch, owner) using (id, epoch)
        where job.phase = 'dispatched' and job.lease_until > clock_timestamp()
        order by job.id for update of job ${waitForLocks ? '' : 'skip locked'})
     update job set phase = 'running', owner = ours.owner, lease_until = ${leaseEnd('$4')},
                    started_at = coalesce(started_at, $5)
       from ours where job.id = ours.id
     returning ${columns}`,
    [...columnsOf(claims, 'jobId', 'epoch', 'owner'), leaseMs, now],
  );
  return rows;
}
