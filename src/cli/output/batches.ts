/* Many small writes as few large ones. What comes at once is written at once; nothing waits for what comes later. */

/** Characters of one write. */
const LENGTH_MAX = 64 * 1024;

type Write = (text: string) => Promise<void>;

export class Batches {
  private pending = '';
  private timer: NodeJS.Immediate | null = null;
  /** The writes before; a failed one fails the next `add` or `end`. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly write: Write) {}

  /** Takes a text, and waits while the reader is slow. */
  async add(text: string): Promise<void> {
    this.pending += text;
    if (this.pending.length >= LENGTH_MAX) return this.flush();
    this.timer ??= setImmediate(() => void this.flush().catch(() => undefined));
  }

  /** Waits until everything is written. */
  async end(): Promise<void> {
    await this.flush();
  }

  private flush(): Promise<void> {
    if (this.timer) clearImmediate(this.timer);
    this.timer = null;
    const text = this.pending;
    this.pending = '';
    if (text !== '') this.last = this.last.then(() => this.write(text));
    return this.last;
  }
}
