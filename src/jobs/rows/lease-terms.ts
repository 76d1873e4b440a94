/*
 * The terms of leases, shared by main loop and heartbeat thread. It imports types alone, because the thread must start in
 * milliseconds and stay small.
 */
import { type SessionTerms } from '../../database/connection/session-terms.js';

/** The times around a lease, in milliseconds. */
export interface LeaseTerms {
  readonly leaseMs: number;
  /** Between two heartbeats. */
  readonly heartbeatMs: number;
  /** A main loop that was silent for so long is stuck, and the thread no longer renews its leases. */
  readonly stuckMs: number;
  /**
   * A worker sends no write to a device when its lease was last confirmed longer ago than this. The remaining third of the
   * lease is for bytes in transit.
   */
  readonly sendLimitMs: number;
}

/** A dead process loses its jobs after one lease, a stuck one after one and a half. */
export function leaseTerms(leaseSeconds: number): LeaseTerms {
  const leaseMs = leaseSeconds * 1_000;
  return { leaseMs, heartbeatMs: leaseMs / 3, stuckMs: leaseMs / 2, sendLimitMs: (leaseMs * 2) / 3 };
}

/** A monotonic clock in milliseconds that all threads share. It also advances while the process is suspended. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** SQL for an instant on the database's clock, `parameter` milliseconds from now. */
export function leaseEnd(parameter: string): string {
  return `clock_timestamp() + ${parameter} * interval '1 millisecond'`;
}

/** A ticket that is still valid. */
export interface RenewedRow {
  readonly id: string;
  readonly epoch: number;
  readonly cancelRequested: boolean;
  readonly renewed: boolean;
}

/** Tickets of one statement. A save of one of these jobs waits for it, for a few milliseconds. */
const RENEW_AT_ONCE = 500;

/**
 * Renews the leases of tickets ($1 ids, $2 epochs) of an owner ($3) by $4 milliseconds, and returns those still valid.
 * Locked rows are skipped: their writer renews or removes the lease, and a heartbeat that waited for one row would let all
 * others expire. `in` gives a hash lookup; a join becomes a nested loop, because the planner has no row estimate.
 */
const RENEW = `
  with leased as materialized (select id, epoch from unnest($1::uuid[], $2::integer[]) as leased (id, epoch)),
       ours as materialized (
         select job.id from job join leased using (id, epoch)
          where job.owner = $3 and job.phase = 'running' for update of job skip locked),
       renewed as (update job set lease_until = ${leaseEnd('$4')} where id = any (array (select id from ours)))
  select job.id, job.epoch, job.cancel_asked_at is not null as "cancelRequested", job.id in (select id from ours) as renewed
    from job join leased using (id, epoch)
   where job.owner = $3 and job.phase = 'running'`;

/**
 * Renews the leases of these tickets.
 * @param query runs a statement with its values
 * @returns the tickets that are still valid, with requested cancellations
 */
export async function renewLeases(
  query: (sql: string, values: unknown[]) => Promise<RenewedRow[]>,
  { ids, epochs }: LeasedTickets,
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

/** The jobs of this process, which the main loop sends to the thread at an interval. The message is its sign of life. */
export interface LeasedTickets {
  readonly listNumber: number;
  readonly ids: readonly string[];
  readonly epochs: readonly number[];
}

/** The result of a heartbeat for one list of tickets: what has changed. */
export interface HeartbeatResult {
  readonly listNumber: number;
  readonly atMs: number;
  /** Tickets as `id.epoch`. */
  readonly lost: readonly string[];
  readonly cancelled: readonly string[];
  /** Still valid, but not renewed this time. */
  readonly notRenewed: readonly string[];
}

/** The start parameters of the thread. */
export interface HeartbeatSettings {
  readonly connection: { readonly connectionString: string; readonly terms: SessionTerms };
  readonly owner: string;
  readonly terms: LeaseTerms;
}

export function heartbeatResult(
  { listNumber, ids, epochs }: LeasedTickets,
  atMs: number,
  rows: readonly RenewedRow[],
): HeartbeatResult {
  const valid = new Set(rows.map(({ id, epoch }) => `${id}.${epoch}`));
  const keysOf = (some: readonly RenewedRow[]) => some.map(({ id, epoch }) => `${id}.${epoch}`);
  return {
    listNumber,
    atMs,
    lost: ids.map((id, index) => `${id}.${epochs[index]}`).filter((key) => !valid.has(key)),
    cancelled: keysOf(rows.filter(({ cancelRequested }) => cancelRequested)),
    notRenewed: keysOf(rows.filter(({ renewed }) => !renewed)),
  };
}
