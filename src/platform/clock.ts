import { setTimeout as pause } from 'node:timers/promises';

/** The only source of time for services; tests put a clock in its place that moves when told to. */
export abstract class Clock {
  /**
   * How far it may be from the clock of the database where both are of one time. The audit takes the time of the database
   * then: a host that was frozen shows an old time until this clock has followed. Null: it is a clock of its own, of a test.
   */
  readonly fromDatabaseMs: number | null = null;

  abstract now(): Date;

  /** The same in milliseconds: for the road of a call, which asks ten times and keeps no date. */
  nowMs(): number {
    return this.now().getTime();
  }

  /** Waits `ms` milliseconds; ends early, without an error, when the signal aborts. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A smaller difference is within what a question to the database takes; following it would make the clock tremble. */
const TOLERATED_MS = 250;

/**
 * The clock of this host, corrected to that of the database. Processes on several hosts take ages from instants that others
 * of them wrote: of a sent effect, of a wait, of a lease. With the clock of its host one that is a minute ahead would hold an
 * effect for settled that has just been sent.
 */
export class SystemClock extends Clock {
  /** Rows that wait for a connection or a lock are no more than this behind; checkpoints allow them five times as much. */
  override readonly fromDatabaseMs = 2 * 60_000;
  private correctionMs = 0;

  /** @param host the clock of the host, in milliseconds since 1970 */
  constructor(private readonly host: () => number = () => Date.now()) {
    super();
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return this.host() - this.correctionMs;
  }

  /**
   * Corrects itself.
   * @param ask gives the instant of the database, in milliseconds since 1970
   * @returns by how much the host is ahead of it; behind is negative, and what is tolerated counts as nothing
   */
  async follow(ask: () => Promise<number>): Promise<number> {
    const askedAt = this.host();
    const theirs = await ask();
    const tookMs = this.host() - askedAt;
    const aheadMs = Math.round(askedAt + tookMs / 2 - theirs);
    if (Math.abs(aheadMs - this.correctionMs) > Math.max(TOLERATED_MS, tookMs)) this.correctionMs = aheadMs;
    return this.correctionMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return;
    await pause(ms, undefined, signal ? { signal } : undefined).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  }
}
