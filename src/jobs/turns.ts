/** A wake-up keeps the loop for 0.2 to 0.3 ms until it waits for its device: a turn of so many stays below 5 ms. */
const MOST = 16;

/** A turn that is longer is felt by people: fewer begin in the next. One that is shorter leaves room for more. */
const LONG_MS = 10;
const SHORT_MS = 5;

/**
 * Spreads what becomes due in one moment over turns of the event loop. Hundreds of jobs are claimed, saved or woken
 * together; without this all of them would go on in the same turn, and calls of people would wait for its end. What has
 * begun comes back with answers of devices, and keeps the loop again: where turns are long all the same, fewer begin in
 * each, down to one, until no more is under way than the loop bears. One always begins, so that nobody waits for ever.
 */
export class Turns {
  /** How many may begin in one turn, and how many are left of them in this one. */
  private room = MOST;
  private left = MOST;
  private countedAt = 0;
  private isCounting = false;
  private waiting: (() => void)[] = [];

  /** @param nowMs of a clock that never goes back */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Resolves at once while the present turn has room, else in one that has, in the order in which they came. */
  take(): Promise<void> {
    this.count();
    if (this.left > 0) {
      this.left--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The loop does not rest before an immediate: between one and the next, or its order, lies work alone. */
  private count(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    this.countedAt = this.nowMs();
    setImmediate(() => {
      this.isCounting = false;
      this.judge(this.nowMs() - this.countedAt);
      const next = this.waiting.splice(0, this.room);
      this.left = this.room - next.length;
      if (this.waiting.length > 0) this.count();
      for (const resolve of next) resolve();
    });
  }

  private judge(turnMs: number): void {
    if (turnMs > LONG_MS) this.room = Math.max(1, Math.floor(this.room / 2));
    else if (turnMs < SHORT_MS) this.room = Math.min(MOST, this.room + 1);
  }
}
