/** Says on standard error how far long work is: one line that changes on a terminal, finished parts elsewhere. */
export class ProgressLine {
  private lastAt = 0;
  private hasLine = false;

  constructor(
    private readonly out: { write(text: string): unknown; isTTY?: boolean },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Shows what is under way, some ten times a second at most, on a terminal only. */
  show(text: string): void {
    if (!this.out.isTTY || this.now() - this.lastAt < 100) return;
    this.lastAt = this.now();
    this.hasLine = true;
    this.out.write(`\r\u001b[K  ${text}`);
  }

  /** Says that a part is finished. */
  done(text: string): void {
    this.out.write(`${this.hasLine ? '\r\u001b[K' : ''}  ${text}\n`);
    this.hasLine = false;
  }
}
