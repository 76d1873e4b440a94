import { StartsPerTurn } from '../../platform/event-loop.js';

/** A wake-up uses the event loop for 0.2 to 0.3 ms: with this many, a turn of the loop stays below 5 ms. */
const WAKE_UPS_PER_TURN = 16;

/**
 * Limits how many jobs wake up in one turn of the event loop. Otherwise hundreds of jobs that are claimed or due together
 * would run in one turn, and requests would wait for its end. Started jobs go before new ones, because their connection
 * closes while they wait; each turn lets one new job start.
 */
export class WakeUpThrottle {
  private readonly starts = new StartsPerTurn(
    () => WAKE_UPS_PER_TURN,
    () => this.resumeNext(),
  );
  private readonly started: (() => void)[] = [];
  private readonly new: (() => void)[] = [];

  /**
   * Resolves at once while this turn of the event loop has capacity, otherwise in a later one, in the order of arrival.
   * @param isNew whether the job has not made a step yet in this process
   */
  take(isNew: boolean): Promise<void> {
    if (this.starts.take()) return Promise.resolve();
    return new Promise((resolve) => (isNew ? this.new : this.started).push(resolve));
  }

  private resumeNext(): void {
    const next = this.started.splice(0, WAKE_UPS_PER_TURN - Math.min(1, this.new.length));
    next.push(...this.new.splice(0, WAKE_UPS_PER_TURN - next.length));
    for (const resolve of next) {
      this.starts.take();
      resolve();
    }
  }
}
