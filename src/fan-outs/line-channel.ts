import { type FanOutLine } from './fan-out.contract.js';

/**
 * Hands the lines of a stored fan-out to its reader, at the reader's speed. The reader may leave at any time; the lines
 * after that are dropped.
 */
export class LineChannel {
  private batch: readonly FanOutLine[] | null = null;
  private isLeft = false;
  private isEnded = false;
  private failure: unknown = null;
  private taken: (() => void) | null = null;
  private wake: (() => void) | null = null;

  /** Resolves when the reader has taken the lines, or has left. */
  async offer(lines: readonly FanOutLine[]): Promise<void> {
    if (this.isLeft) return;
    this.batch = lines;
    const taken = new Promise<void>((resolve) => (this.taken = resolve));
    this.wake?.();
    await taken;
  }

  /** No reader, now or any more. */
  leave(): void {
    this.isLeft = true;
    this.taken?.();
  }

  /** @param failure what the reader meets after the last line */
  end(failure: unknown = null): void {
    this.isEnded = true;
    this.failure = failure;
    this.wake?.();
  }

  /** For one reader. */
  async *lines(): AsyncGenerator<readonly FanOutLine[]> {
    for (;;) {
      const { batch } = this;
      if (batch) {
        this.batch = null;
        yield batch;
        this.taken?.();
      } else if (this.isEnded) {
        if (this.failure !== null) throw this.failure as Error;
        return;
      } else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
