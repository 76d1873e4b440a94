import { StartsPerTurn } from '../../platform/event-loop.js';

/** A wake-up uses the loop for 0.2 to 0.3 ms until it waits for its device: a turn of this many stays below 5 ms. */
const IN_A_TURN = 16;

/**
 * Spreads jobs that become due at the same moment over turns of the event loop. Hundreds of jobs are claimed, saved or
 * woken together. Otherwise all would run in the same turn, and requests would wait for its end. Begun jobs go before
 * new ones: their connection closes while they wait. A new job still gets its turn.
 */
export class JobTurns {
  private readonly starts = new StartsPerTurn(IN_A_TURN, () => this.goOn());
  private readonly begun: (() => void)[] = [];
  private readonly fresh: (() => void)[] = [];

  /**
   * Resolves at once while the present turn has capacity, else in a later one, in the order of arrival.
   * @param isFresh whether the job begins
   */
  take(isFresh: boolean): Promise<void> {
    if (this.starts.take()) return Promise.resolve();
    return new Promise((resolve) => (isFresh ? this.fresh : this.begun).push(resolve));
  }

  private goOn(): void {
    const next = this.begun.splice(0, IN_A_TURN - Math.min(1, this.fresh.length));
    next.push(...this.fresh.splice(0, IN_A_TURN - next.length));
    for (const resolve of next) {
      this.starts.take();
      resolve();
    }
  }
}
