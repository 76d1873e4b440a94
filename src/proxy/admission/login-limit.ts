/** The part of the places that work in the background leaves to people. */
const FOR_PEOPLE = 1 / 8;

/**
 * A bounded number of logins at once. People go before work in the background, and a part of the places is theirs alone, so
 * that a fan-out over thousands of cold devices does not hold up a person.
 */
export class LoginLimit {
  private running = 0;
  private readonly people: (() => void)[] = [];
  private readonly background: (() => void)[] = [];
  private readonly forBackground: number;

  constructor(private readonly atOnce: number) {
    this.forBackground = Math.max(1, atOnce - Math.ceil(atOnce * FOR_PEOPLE));
  }

  /** Runs a task in its turn, within its class in the order of arrival. */
  async run<Result>(task: () => Promise<Result>, inBackground = false): Promise<Result> {
    const [line, places] = inBackground ? [this.background, this.forBackground] : [this.people, this.atOnce];
    if (this.running >= places) await new Promise<void>((resolve) => line.push(resolve));
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
    const line = this.people.length > 0 ? this.people : this.background;
    if (this.running >= (line === this.people ? this.atOnce : this.forBackground)) return;
    const go = line.shift();
    if (!go) return;
    this.running++;
    go();
  }
}
