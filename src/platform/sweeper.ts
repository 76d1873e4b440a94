import { setMaxListeners } from 'node:events';
import { type Logger } from 'pino';
import { type Clock } from './clock.js';
import { errorChain } from './errors/error-chain.js';
import { errorFields } from './log.js';
import { type Metrics } from './metrics.js';
import { withTimeout } from './with-timeout.js';

/**
 * A periodic task. It takes no input but finds its work, mostly in the database, and doing it twice is harmless. `sweep`
 * returns counts for the log and the metrics.
 */
export interface Sweeper {
  readonly name: string;
  readonly everyMs: number;
  /** False: the configuration turns it off. */
  readonly isOn?: boolean;
  /** It runs only in processes that run jobs. */
  readonly isForWorkers?: boolean;
  /** Where this machine has a process for jobs, it runs there alone: it calls devices, or takes time from people. */
  readonly isLeftToWorker?: boolean;
  /** Optional: receives a function to call when there is work before the pause is over. */
  onWork?(wake: () => void): void;
  sweep(): Promise<Record<string, number>>;
}

/** The last pass of a sweeper in this process. */
export interface SweeperPass {
  readonly at: Date;
  readonly outcome: 'done' | 'failed';
}

/** The shortest pause of a woken sweeper, so that one pass finds all events of the same moment. */
const SOON_MS = 50;

/** At a stop, running passes may take this long; the next start finds what they leave. */
const STOP_WITHIN_MS = 3_000;

/** Runs every registered sweeper at its own interval, each in its own loop, until it is stopped. */
export class SweeperRunner {
  private readonly loops = new Map<Sweeper, Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly last = new Map<string, SweeperPass>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly metrics: Metrics,
  ) {
    setMaxListeners(0, this.stopping.signal);
  }

  /** Starts those of the providers of the application that are sweepers, as far as they are meant for this process. */
  startAll(providers: Iterable<unknown>, isWorker: boolean, hasWorkerBeside = false): void {
    for (const provider of providers) {
      if (!isSweeper(provider) || provider.isOn === false) continue;
      if (isWorker || !(provider.isForWorkers || (hasWorkerBeside && provider.isLeftToWorker))) this.start(provider);
    }
  }

  start(sweeper: Sweeper): void {
    if (this.loops.has(sweeper)) return;
    this.loops.set(
      sweeper,
      this.loop(sweeper).finally(() => this.loops.delete(sweeper)),
    );
  }

  /** By the name of the sweeper; one without a pass so far is not in it. */
  get lastPasses(): ReadonlyMap<string, SweeperPass> {
    return this.last;
  }

  /**
   * Ends all loops; resolves when the running passes have ended.
   * @param withinMs the longest wait: other parts must stop, too
   */
  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    this.stopping.abort();
    await withTimeout(withinMs, Promise.all(this.loops.values()), () => undefined);
    const sweeper = [...this.loops.keys()].map(({ name }) => name).join(', ');
    if (sweeper !== '') this.log.warn({ sweeper }, 'Sweepers are still in a pass; the stop continues without them');
  }

  private async loop(sweeper: Sweeper): Promise<void> {
    const { signal } = this.stopping;
    let waking = new AbortController();
    sweeper.onWork?.(() => waking.abort());
    signal.addEventListener('abort', () => waking.abort());
    let tookMs = 0;
    while (!signal.aborted) {
      // At least as long as the last pass: a sweeper that is woken all the time uses half of the time, not all of it.
      const soonMs = sweeper.onWork ? Math.min(sweeper.everyMs, Math.max(SOON_MS, tookMs)) : sweeper.everyMs;
      await this.clock.sleep(soonMs, signal);
      if (soonMs < sweeper.everyMs) await this.clock.sleep(sweeper.everyMs - soonMs, waking.signal);
      if (signal.aborted) return;
      waking = new AbortController();
      const begunAtMs = this.clock.nowMs();
      await this.pass(sweeper);
      tookMs = this.clock.nowMs() - begunAtMs;
    }
  }

  /** One pass; an error is logged and the next pass retries, since the work is still in the database. */
  private async pass(sweeper: Sweeper): Promise<void> {
    try {
      const did = await sweeper.sweep();
      this.ended(sweeper, 'done');
      if (Object.values(did).some((count) => count > 0))
        this.log.info({ sweeper: sweeper.name, did }, 'A sweeper found work');
    } catch (error) {
      this.ended(sweeper, 'failed');
      const facts = { sweeper: sweeper.name, ...errorFields(error) };
      if (this.stopping.signal.aborted)
        this.log.info(facts, 'The stop cut off a pass; the next start finds what it left');
      else this.log.warn(facts, 'A sweeper failed; it will retry');
    }
  }

  private ended(sweeper: Sweeper, outcome: SweeperPass['outcome']): void {
    this.last.set(sweeper.name, { at: this.clock.now(), outcome });
    this.metrics.sweeps.inc({ sweeper: sweeper.name, outcome });
  }
}

const isSweeper = (provider: unknown): provider is Sweeper =>
  typeof provider === 'object' && provider !== null && 'sweep' in provider && 'everyMs' in provider;

/** Rows that an error names. */
const MAX_NAMED = 5;

/** A failure does not stop the others. @throws Error at the end that names the failed rows */
export async function eachRow(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const failed: string[] = [];
  let cause: unknown;
  for (const id of ids) {
    await work(id).catch((error: unknown) => {
      cause ??= error;
      failed.push(`${id}: ${errorChain(error)}`);
    });
  }
  if (failed.length > 0) throw new Error(`Failed were ${failed.slice(0, MAX_NAMED).join('; ')}`, { cause });
}
