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

/** Time servers slew a clock by 0.5 ms a second. A larger difference to the monotonic clock is a step. */
const STEP_MS = 1_000;

/**
 * The clock of this host, corrected to the database's. A process computes ages from instants that other hosts wrote: of
 * a sent effect, a wait or a lease. A host that is a minute ahead would otherwise treat an effect as settled that was
 * just sent.
 *
 * A step of the host's clock while the process runs is not believed: the monotonic clock says how much time has passed.
 * Otherwise a step of an hour would end waiting jobs at their deadline before the database is asked.
 */
export class SystemClock extends Clock {
  /** Longer than a row waits for a connection or a lock. Checkpoints allow five times as much. */
  override readonly fromDatabaseMs = 2 * 60_000;
  /** Called at each step of the host's clock, with its size in milliseconds. */
  onStep: ((ms: number) => void) | null = null;
  private correctionMs = 0;
  private steppedMs = 0;
  private lastHostMs: number;
  private lastMonotonicMs: number;

  /**
   * @param host the clock of the host, in milliseconds since 1970
   * @param monotonic a clock that no person sets, in milliseconds since any time
   */
  constructor(
    private readonly host: () => number = () => Date.now(),
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    super();
    this.lastHostMs = host();
    this.lastMonotonicMs = monotonic();
  }

  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return this.steadyMs() - this.correctionMs;
  }

  /**
   * Corrects this clock by one query.
   * @param ask returns the database's time, in milliseconds since 1970
   * @returns how far the host is ahead, in milliseconds; negative when it is behind, zero when the difference is
   *   tolerated
   */
  async follow(ask: () => Promise<number>): Promise<number> {
    const askedAt = this.steadyMs();
    const theirs = await ask();
    const tookMs = this.steadyMs() - askedAt;
    const aheadMs = Math.round(askedAt + tookMs / 2 - theirs);
    if (Math.abs(aheadMs - this.correctionMs) > Math.max(TOLERATED_MS, tookMs)) this.correctionMs = aheadMs;
    return this.correctionMs + this.steppedMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return;
    await pause(ms, undefined, signal ? { signal } : undefined).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  }

  /** The host's clock without its steps. */
  private steadyMs(): number {
    const [host, monotonic] = [this.host(), this.monotonic()];
    const stepMs = host - this.lastHostMs - (monotonic - this.lastMonotonicMs);
    this.lastHostMs = host;
    this.lastMonotonicMs = monotonic;
    if (Math.abs(stepMs) > STEP_MS) {
      this.steppedMs += stepMs;
      this.onStep?.(Math.round(stepMs));
    }
    return host - this.steppedMs;
  }
}
