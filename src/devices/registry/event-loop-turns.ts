import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest work of one turn of the event loop: requests wait for its end. */
const TURN_MS = 10;

/** Measures turns of long work: `if (turns.isOver) await turns.next()`. */
export class EventLoopTurns {
  private since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.since > TURN_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
