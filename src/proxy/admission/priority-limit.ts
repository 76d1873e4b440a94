/** The share of the limit that background work leaves to people. */
const FOR_PEOPLE = 1 / 8;

/**
 * Limits simultaneous logins. People go before background work, and a share is reserved for them, so that a fan-out over
 * thousands of devices does not delay a person.
 */
export class PriorityLimit {
  private running = 0;
  private readonly people: (() => void)[] = [];
  private readonly background: (() => void)[] = [];
  private readonly backgroundLimit: number;

  constructor(private readonly atOnce: number) {
    this.backgroundLimit = Math.max(1, atOnce - Math.ceil(atOnce * FOR_PEOPLE));
  }

  /** Runs a task in its turn, within its class in the order of arrival. */
  async run<Result>(task: () => Promise<Result>, inBackground = false): Promise<Result> {
    const [queue, limit] = inBackground ? [this.background, this.backgroundLimit] : [this.people, this.atOnce];
    if (this.running >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else this.running++;
    try {
      return await task();
    } finally {
      this.running--;
      this.next();
    }
  }

  /** Gives a free slot to the next task. */
  private next(): void {
    const queue = this.people.length > 0 ? this.people : this.background;
    if (this.running >= (queue === this.people ? this.atOnce : this.backgroundLimit)) return;
    const go = queue.shift();
    if (!go) return;
    this.running++;
    go();
  }
}
