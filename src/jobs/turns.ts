/** A wake-up keeps the loop for 0.2 to 0.3 ms until it waits for its device: a turn of so many stays below 5 ms. */
const IN_A_TURN = 16;

/**
 * Spreads what becomes due in one moment over turns of the event loop. Hundreds of jobs are claimed, saved or woken
 * together; without this all of them would go on in the same turn, and calls of people would wait for its end.
 */
export class Turns {
  private left = IN_A_TURN;
  private isCounting = false;
  private waiting: (() => void)[] = [];

  /** Resolves at once while the present turn has room, else in one that has, in the order in which they came. */
  take(): Promise<void> {
    this.count();
    if (this.left > 0) {
      this.left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private count(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    setImmediate(() => {
      this.isCounting = false;
      const next = this.waiting.splice(0, IN_A_TURN);
      this.left = IN_A_TURN - next.length;
      if (this.waiting.length > 0) this.count();
      for (const resolve of next) resolve();
    });
  }
}
