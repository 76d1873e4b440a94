import { setTimeout as pause } from 'node:timers/promises';

/**
 * The only source of dates for services; durations within a process are measured by `performance.now()`. Tests replace it
 * with a clock that they move themselves.
 */
export abstract class Clock {
  /**
   * The largest difference, in milliseconds, that the audit accepts between this clock and the database's. Beyond it
   * the audit uses the database's time: a host that was frozen shows an old time until this clock is corrected. Null: a
   * test's own clock.
   */
  readonly fromDatabaseMs: number | null = null;

  abstract now(): Date;

  /** The same in milliseconds, without a Date object: a device call reads the time ten times. */
  nowMs(): number {
    return this.now().getTime();
  }

  /** Waits `ms` milliseconds; ends early, without an error, when the signal aborts. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The query itself takes about this long. Correcting smaller differences would make the clock jitter. */
const TOLERATED_MS = 250;

/**
 * The clock of this host, corrected to the database's. A process computes ages from instants that other hosts wrote: of
 * a sent effect, a wait or a lease. A host that is a minute ahead would otherwise treat an effect as settled that was
 * just sent.
 */
export class SystemClock extends Clock {
  /** Longer than a row waits for a connection or a lock. Checkpoints allow five times as much. */
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
   * Corrects this clock by one query.
   * @param ask returns the database's time, in milliseconds since 1970
   * @returns how far the host is ahead, in milliseconds; negative when it is behind, zero when the difference is
   *   tolerated
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
