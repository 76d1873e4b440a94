import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work of one turn of the event loop: calls of people wait for its end. */
const TURN_MS = 10;

/** Measures the turns of work that is long: `if (turns.isOver) await turns.next()`. */
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
