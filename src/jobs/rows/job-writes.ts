import { type EntityManager } from 'typeorm';
import { storableJson, storableText } from '../../platform/database/storable.js';
import { type JobRow } from './job.entity.js';
import { type Say } from './job-state.js';
import { leaseEnd } from './lease-terms.js';

/*
 * Statements about many jobs at once, as arrays (`unnest`): what a worker writes of a hundred jobs in the same moment costs
 * as many statements as what it writes of one. Only `JobRows` calls them.
 */

/** The right to work on a job: valid while the row has this epoch. */
export interface Ticket {
  readonly jobId: string;
  readonly epoch: number;
}

/** One line of a job's log. */
export interface NewEvent extends Say {
  readonly jobId: string;
  readonly step: string;
}

/** A job's new state as Postgres gets it. */
export type StateLine = readonly unknown[];

/** Columns that a save moves, in the order of `stateLine`, with their types. */
const MOVED = {
  id: 'uuid',
  phase: 'text',
  outcome: 'text',
  cursor: 'jsonb',
  wake_at: 'timestamptz',
  wait_reason: 'text',
  attempts: 'integer',
  lost_workers: 'integer',
  trials: 'integer',
  lost_by: 'text',
  lost_at: 'timestamptz',
  intent: 'jsonb',
  cancel_asked_at: 'timestamptz',
  result: 'jsonb',
  failure: 'jsonb',
  ended_at: 'timestamptz',
  epoch: 'integer',
} as const;

const columns = Object.keys(MOVED);
const arrays = Object.values(MOVED).map((type, place) => `$${place + 2}::${type}[]`);

/** $1 the lease in milliseconds. A running job keeps its lease, prolonged; any other has none. */
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
export function stateLine(job: JobRow): StateLine {
  return [
    job.id,
    job.phase,
    job.outcome,
    storableJson(job.cursor),
    job.wakeAt,
    job.waitReason,
    job.attempts,
    job.lostWorkers,
    job.trials,
    job.lostBy,
    job.lostAt,
    job.intent && storableJson(job.intent),
    job.cancelAskedAt,
    job.result && storableJson(job.result),
    job.failure && storableJson(job.failure),
    job.endedAt,
    job.epoch,
  ];
}

/** Writes states that were decided under a lock on their rows, each of another job. */
export async function writeStates(tx: EntityManager, lines: readonly StateLine[], leaseMs: number): Promise<void> {
  await tx.query(WRITE_STATES, [leaseMs, ...columns.map((_, place) => lines.map((line) => line[place]))]);
}

/** Adds lines to the logs of jobs, each behind what is there; of one job in the order in which they are given. */
export async function writeEvents(tx: EntityManager, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length === 0) return;
  const places = new Map<string, number>();
  const placeOf = ({ jobId }: NewEvent) => {
    const place = (places.get(jobId) ?? 0) + 1;
    places.set(jobId, place);
    return place;
  };
  await tx.query(
    `insert into job_event (job_id, ordinal, at, step, text, facts)
     select line.job_id, line.place + coalesce((select max(ordinal) from job_event where job_id = line.job_id), 0),
            $1, line.step, line.text, line.facts
       from unnest($2::uuid[], $3::integer[], $4::text[], $5::text[], $6::jsonb[])
            as line (job_id, place, step, text, facts)`,
    [
      at,
      events.map(({ jobId }) => jobId),
      events.map(placeOf),
      events.map(({ step }) => step),
      events.map(({ text }) => storableText(text)),
      events.map(({ facts }) => storableJson(facts ?? {})),
    ],
  );
}

/** What the gate tells of a row that its worker may write. */
export interface OwnRow {
  readonly id: string;
  readonly epoch: number;
  readonly cancelAskedAt: Date | null;
}

/**
 * The gate: of the tickets those whose job is running, of their epoch, with a lease that has not run out, by their ids;
 * locked until the commit, in one order for all processes.
 * @param isPatient whether rows that somebody else has locked are waited for, or left out
 */
export async function lockOwn(
  tx: EntityManager,
  tickets: readonly Ticket[],
  isPatient: boolean,
): Promise<Map<string, OwnRow>> {
  const rows = await tx.query<OwnRow[]>(
    `select job.id, job.epoch, job.cancel_asked_at as "cancelAskedAt"
       from job join unnest($1::uuid[], $2::integer[]) as ticket (id, epoch) using (id, epoch)
      where job.phase = 'running' and job.lease_until > clock_timestamp()
      order by job.id for update of job ${isPatient ? '' : 'skip locked'}`,
    [tickets.map(({ jobId }) => jobId), tickets.map(({ epoch }) => epoch)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A ticket, and the worker that wants to claim its job. */
export interface Claim extends Ticket {
  readonly owner: string;
}

/**
 * Takes dispatched jobs into their workers' hands, in one statement.
 * @param shown the columns of a job as the rows come back
 * @param isPatient as in `lockOwn`
 */
export async function claimRows(
  db: Pick<EntityManager, 'query'>,
  claims: readonly Claim[],
  { shown, leaseMs, now, isPatient }: { shown: string; leaseMs: number; now: Date; isPatient: boolean },
): Promise<JobRow[]> {
  const [rows] = await db.query<[JobRow[], number]>(
    `with ours as materialized (
       select job.id, claim.owner
         from job join unnest($1::uuid[], $2::integer[], $3::text[]) as claim (id, epoch, owner) using (id, epoch)
        where job.phase = 'dispatched' and job.lease_until > clock_timestamp()
        order by job.id for update of job ${isPatient ? '' : 'skip locked'})
     update job set phase = 'running', owner = ours.owner, lease_until = ${leaseEnd('$4')},
                    started_at = coalesce(started_at, $5)
       from ours where job.id = ours.id
     returning ${shown}`,
    [
      claims.map(({ jobId }) => jobId),
      claims.map(({ epoch }) => epoch),
      claims.map(({ owner }) => owner),
      leaseMs,
      now,
    ],
  );
  return rows;
}
