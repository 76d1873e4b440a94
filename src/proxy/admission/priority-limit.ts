/** The share of the limit that background work leaves to interactive calls. */
const FOR_INTERACTIVE = 1 / 8;

/** How many of `atOnce` background work may take. */
export const backgroundShare = (atOnce: number): number => Math.max(1, atOnce - Math.ceil(atOnce * FOR_INTERACTIVE));

/**
 * Limits simultaneous tasks: logins, and at the stop logouts. Interactive ones go before background work, and a share
 * is reserved for them, so that a fan-out over thousands of devices does not delay an interactive call.
 */
export class PriorityLimit {
  private running = 0;
  private readonly interactive: (() => void)[] = [];
  private readonly background: (() => void)[] = [];
  private readonly backgroundLimit: number;

  constructor(private readonly atOnce: number) {
    this.backgroundLimit = backgroundShare(atOnce);
  }

  /** Runs a task in its turn, within its class in the order of arrival. */
  async run<Result>(task: () => Promise<Result>, inBackground = false): Promise<Result> {
    const [queue, limit] = inBackground ? [this.background, this.backgroundLimit] : [this.interactive, this.atOnce];
    if (this.running >= limit) await new Promise<void>((resolve) => queue.push(resolve));
    else this.running++;
    try {
      return await task();
    } finally {
      this.running--;
      this.next();
    }
  }

  /** Starts the next task, if one more may run. */
  private next(): void {
    const queue = this.interactive.length > 0 ? this.interactive : this.background;
    if (this.running >= (queue === this.interactive ? this.atOnce : this.backgroundLimit)) return;
    const go = queue.shift();
    if (!go) return;
    this.running++;
    go();
  }
}
