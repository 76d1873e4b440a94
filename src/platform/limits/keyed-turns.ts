/*
 * Work that callers cause without any secret, some of each key at once; further work waits for its turn. A count of it
 * would lock out all callers behind an address as soon as one of them had used it up; waiting only delays them. Pure.
 */

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export class KeyedTurns {
  /** Keys with work in progress. */
  private readonly lines = new Map<string, Line>();

  /** @param atOnce work of one key in progress; the caller bounds what waits, as `AnonymousRequests` does */
  constructor(private readonly atOnce: number) {}

  /** Does work when it is its key's turn. @param key such as the source of a request */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.lines.get(key) ?? { running: 0, waiting: [] };
    this.lines.set(key, line);
    if (line.running < this.atOnce) line.running++;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.leave(key, line);
    }
  }

  /** The place goes to the next in line, so that no newcomer overtakes. */
  private leave(key: string, line: Line): void {
    const next = line.waiting.shift();
    if (next) next();
    else if (--line.running === 0) this.lines.delete(key);
  }
}
