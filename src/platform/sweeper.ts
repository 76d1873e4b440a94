import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type Clock } from './clock.js';
import { errorFields } from './log.js';
import { type Metrics } from './metrics.js';

/**
 * Work that is done again and again until there is none: it takes no input, it finds what to do
 * in the database, and doing it twice does no harm. `sweep` returns what it did, for the log and the metrics.
 */
export interface Sweeper {
  readonly name: string;
  readonly everyMs: number;
  /** Where there is one, it is given what to call when there is work before the pause is over. */
  onWork?(wake: () => void): void;
  sweep(): Promise<Record<string, number>>;
}

/** A sweeper that is woken rests at least this long, so that what happens in the same moment is found by one pass. */
const SOON_MS = 50;

/** At a stop, passes that are under way may take so long; what they leave is found by the next start. */
const STOP_WITHIN_MS = 3_000;

/** Runs every registered sweeper at its own pace, each in a loop of its own, until it is stopped. */
export class SweeperRunner {
  private readonly loops = new Map<Sweeper, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly metrics: Metrics,
  ) {
    setMaxListeners(0, this.stopping.signal); // every loop sleeps on it
  }

  start(sweeper: Sweeper): void {
    this.loops.set(
      sweeper,
      this.loop(sweeper).finally(() => this.loops.delete(sweeper)),
    );
  }

  /**
   * Ends all loops; resolves when the passes that are under way have ended.
   * @param withinMs when it does not wait any longer: others have something to end, too
   */
  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    this.stopping.abort();
    const late = new AbortController();
    const ended = Promise.all(this.loops.values()).finally(() => late.abort());
    await Promise.race([ended, pause(withinMs, null, { signal: late.signal }).catch(() => undefined)]);
    const sweeper = [...this.loops.keys()].map(({ name }) => name).join(', ');
    if (sweeper !== '') this.log.warn({ sweeper }, 'Sweepers are still at a pass; the stop goes on without them');
  }

  private async loop(sweeper: Sweeper): Promise<void> {
    const { signal } = this.stopping;
    let bell = new AbortController();
    sweeper.onWork?.(() => bell.abort());
    signal.addEventListener('abort', () => bell.abort());
    let tookMs = sweeper.everyMs;
    while (!signal.aborted) {
      // As long as its last pass, at least: one that is woken all the time takes half of the time, not all of it.
      const soonMs = sweeper.onWork ? Math.min(sweeper.everyMs, Math.max(SOON_MS, tookMs)) : sweeper.everyMs;
      await this.clock.sleep(soonMs, signal);
      if (soonMs < sweeper.everyMs) await this.clock.sleep(sweeper.everyMs - soonMs, bell.signal);
      if (signal.aborted) return;
      bell = new AbortController();
      const begunAtMs = this.clock.nowMs();
      await this.pass(sweeper);
      tookMs = this.clock.nowMs() - begunAtMs;
    }
  }

  /** One pass; an error is logged and the next pass tries again, since the work is still in the database. */
  private async pass(sweeper: Sweeper): Promise<void> {
    try {
      const did = await sweeper.sweep();
      this.metrics.sweeps.inc({ sweeper: sweeper.name, outcome: 'done' });
      if (Object.values(did).some((count) => count > 0))
        this.log.info({ sweeper: sweeper.name, did }, 'A sweeper found work');
    } catch (error) {
      this.metrics.sweeps.inc({ sweeper: sweeper.name, outcome: 'failed' });
      this.log.warn({ sweeper: sweeper.name, ...errorFields(error) }, 'A sweeper failed; it tries again');
    }
  }
}
