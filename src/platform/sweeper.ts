import { setMaxListeners } from 'node:events';
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
  sweep(): Promise<Record<string, number>>;
}

/** Runs every registered sweeper at its own pace, each in a loop of its own, until it is stopped. */
export class SweeperRunner {
  private readonly loops: Promise<void>[] = [];
  private readonly stopping = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly metrics: Metrics,
  ) {
    setMaxListeners(0, this.stopping.signal); // every loop sleeps on it
  }

  start(sweeper: Sweeper): void {
    this.loops.push(this.loop(sweeper));
  }

  /** Ends all loops; resolves when the passes that are under way have ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
  }

  private async loop(sweeper: Sweeper): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.clock.sleep(sweeper.everyMs, signal);
      if (signal.aborted) return;
      await this.pass(sweeper);
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
