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

/** Lets so many things start in one turn of the event loop. */
export class StartsPerTurn {
  private left: number;
  private isCounting = false;

  /**
   * @param perTurn asked for each turn
   * @param onTurn called in the turn after one in which something started: as much may start again
   */
  constructor(
    private readonly perTurn: () => number,
    private readonly onTurn: () => void,
  ) {
    this.left = perTurn();
  }

  get hasLeft(): boolean {
    return this.left > 0;
  }

  /** Takes a start; false when this turn has none left. */
  take(): boolean {
    if (!this.hasLeft) return false;
    this.left--;
    if (this.isCounting) return true;
    this.isCounting = true;
    setImmediate(() => {
      this.isCounting = false;
      this.left = this.perTurn();
      this.onTurn();
    });
    return true;
  }
}
