/*
 * What main loop and heartbeat thread agree on about leases. Nothing is imported here: the thread must start in
 * milliseconds and stay small.
 */

/** How a lease of so many milliseconds is kept. */
export interface LeaseTerms {
  readonly leaseMs: number;
  /** From one heartbeat to the next. */
  readonly beatMs: number;
  /** A main loop that has said nothing for so long is stuck, and its leases are not kept any more. */
  readonly stuckMs: number;
  /** So long after the last proof of the lease nothing is sent to a device; the rest of it is for bytes on their way. */
  readonly sureMs: number;
}

/** A stuck process loses its jobs after one and a half leases, a dead one after one. */
export function leaseTerms(leaseSeconds: number): LeaseTerms {
  const leaseMs = leaseSeconds * 1_000;
  return { leaseMs, beatMs: leaseMs / 3, stuckMs: leaseMs / 2, sureMs: (leaseMs * 2) / 3 };
}

/** Milliseconds of a clock that all threads share, that nobody sets, and that goes on while the process is stopped. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** SQL for the instant that is `parameter` milliseconds from now, on the database's clock. */
export function leaseEnd(parameter: string): string {
  return `clock_timestamp() + ${parameter} * interval '1 millisecond'`;
}

/** A ticket that is still valid. */
export interface RenewedRow {
  readonly id: string;
  readonly epoch: number;
  readonly asked: boolean;
  readonly renewed: boolean;
}

/** Tickets that one statement prolongs: those who save one of these jobs meanwhile wait for a few milliseconds. */
const RENEW_AT_ONCE = 500;

/**
 * Prolongs the leases of tickets ($1 ids, $2 epochs) of an owner ($3) by $4 milliseconds and returns which are still valid.
 * A row that is locked is skipped: its writer prolongs the lease or takes it away, and a heartbeat that waited for one row
 * would let all others expire. `in` gives a hash lookup; a join becomes a nested loop, because the planner has no row
 * estimate.
 */
const RENEW = `
  with held as materialized (select id, epoch from unnest($1::uuid[], $2::integer[]) as held (id, epoch)),
       ours as materialized (
         select job.id from job join held using (id, epoch)
          where job.owner = $3 and job.phase = 'running' for update of job skip locked),
       renewed as (update job set lease_until = ${leaseEnd('$4')} where id = any (array (select id from ours)))
  select job.id, job.epoch, job.cancel_asked_at is not null as asked, job.id in (select id from ours) as renewed
    from job join held using (id, epoch)
   where job.owner = $3 and job.phase = 'running'`;

/**
 * Prolongs the leases of all jobs of a roll call.
 * @param query runs a statement with its values
 * @returns the tickets that are still valid, with what was asked for meanwhile
 */
export async function renewLeases(
  query: (sql: string, values: unknown[]) => Promise<RenewedRow[]>,
  { ids, epochs }: RollCall,
  owner: string,
  leaseMs: number,
): Promise<RenewedRow[]> {
  const renewed: RenewedRow[] = [];
  for (let from = 0; from < ids.length; from += RENEW_AT_ONCE) {
    const part = [ids, epochs].map((column) => column.slice(from, from + RENEW_AT_ONCE));
    renewed.push(...(await query(RENEW, [...part, owner, leaseMs])));
  }
  return renewed;
}

/** What the main loop tells the thread, again and again: the jobs in its hands. That it does is its sign of life. */
export interface RollCall {
  readonly number: number;
  readonly ids: readonly string[];
  readonly epochs: readonly number[];
}

/** What the thread tells of a heartbeat: for which roll call it was, when it was sent, and what is not as it was. */
export interface Beat {
  readonly number: number;
  readonly atMs: number;
  /** Tickets as `id.epoch`. */
  readonly lost: readonly string[];
  readonly cancelled: readonly string[];
  /** Still valid, but not prolonged this time. */
  readonly notRenewed: readonly string[];
}

/** What the thread is started with. */
export interface HeartbeatSettings {
  readonly connectionString: string;
  /** As `pg` sends them with the connection. */
  readonly options: string;
  readonly owner: string;
  readonly terms: LeaseTerms;
}

/** What became of the tickets of a roll call. */
export function beatOf({ number, ids, epochs }: RollCall, atMs: number, rows: readonly RenewedRow[]): Beat {
  const valid = new Set(rows.map(({ id, epoch }) => `${id}.${epoch}`));
  const keysOf = (some: readonly RenewedRow[]) => some.map(({ id, epoch }) => `${id}.${epoch}`);
  return {
    number,
    atMs,
    lost: ids.map((id, place) => `${id}.${epochs[place]}`).filter((key) => !valid.has(key)),
    cancelled: keysOf(rows.filter(({ asked }) => asked)),
    notRenewed: keysOf(rows.filter(({ renewed }) => !renewed)),
  };
}
