/** A wake-up keeps the loop for 0.2 to 0.3 ms until it waits for its device: a turn of so many stays below 5 ms. */
const IN_A_TURN = 16;

/**
 * Spreads what becomes due in one moment over turns of the event loop. Hundreds of jobs are claimed, saved or woken
 * together; without this all of them would go on in the same turn, and calls of people would wait for its end. Jobs that
 * have begun go before those that begin: they have a connection that is closed while they wait. One that begins has its
 * turn all the same.
 */
export class JobTurns {
  private left = IN_A_TURN;
  private isCounting = false;
  private readonly begun: (() => void)[] = [];
  private readonly fresh: (() => void)[] = [];

  /**
   * Resolves at once while the present turn has room, else in one that has, in the order in which they came.
   * @param isFresh whether the job begins
   */
  take(isFresh: boolean): Promise<void> {
    this.count();
    if (this.left > 0) {
      this.left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => (isFresh ? this.fresh : this.begun).push(resolve));
  }

  private count(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    setImmediate(() => {
      this.isCounting = false;
      const next = this.begun.splice(0, IN_A_TURN - Math.min(1, this.fresh.length));
      next.push(...this.fresh.splice(0, IN_A_TURN - next.length));
      this.left = IN_A_TURN - next.length;
      if (this.begun.length + this.fresh.length > 0) this.count();
      for (const resolve of next) resolve();
    });
  }
}
