/*
 * Lines for standard output or standard error that never block the process and never end it. The reader may leave
 * (EPIPE), stop reading (a full pipe, a stopped terminal: EAGAIN), or have no room (a full disk: ENOSPC). Lines wait in
 * a small buffer for a reader that is slow. Others are dropped and counted, and each new line tries again.
 */

/** Waiting lines: some seconds of a busy log. */
export const WAITING_BYTES_MAX = 1024 * 1024;

/** A pipe holds 64 kB, so a reader that keeps up gets six megabytes a second. */
const RETRY_MS = 10;

/** While the reader is slow or away; a later line tries at once. */
const RETRY_SLOW_MS = 250;

const NEW_LINE = 10;

export interface Losses {
  /** Lines that were dropped since the start of the process. */
  readonly count: number;
  /** `performance.now()` of the last one; null without any. */
  readonly lastMs: number | null;
}

/** Writes some of these bytes without waiting. @returns how many @throws an error of the system, such as EAGAIN */
type WriteSome = (bytes: Buffer) => number;

export class LineOutput {
  private readonly waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** Whether the last byte that went out did not end its line: the next line must not be glued to it. */
  private isMidLine = false;
  /** Whether the first waiting bytes are the rest of a line whose beginning went out. */
  private isRest = false;
  private timer: NodeJS.Timeout | null = null;
  private retries = 0;
  private dropped = 0;
  private lastDropMs: number | null = null;
  private untold = 0;

  /** @param onWorking called when lines go out again after some were dropped; it may write a line about them */
  constructor(
    private readonly writeSome: WriteSome,
    private onWorking: (dropped: number) => void = () => undefined,
  ) {}

  get losses(): Losses {
    return { count: this.dropped, lastMs: this.lastDropMs };
  }

  /** Says who writes a line about dropped ones when lines go out again. */
  whenWorking(onWorking: (dropped: number) => void): void {
    this.onWorking = onWorking;
  }

  /** @param line with its line feed */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > WAITING_BYTES_MAX) this.countDropped(1);
    else {
      this.waiting.push(bytes);
      this.waitingBytes += bytes.length;
    }
    this.flush();
  }

  /** Writes what goes without waiting. */
  flush(): void {
    if (this.waiting.length === 0) return;
    try {
      while (this.waiting.length > 0) this.writeFirst();
      this.retries = 0;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN' || code === 'EWOULDBLOCK' || code === 'EBUSY' || code === 'EINTR') this.retryLater();
      else this.dropWaiting();
      return;
    }
    if (this.untold === 0) return;
    const { untold } = this;
    this.untold = 0;
    this.onWorking(untold);
  }

  private writeFirst(): void {
    const [line] = this.waiting;
    const bytes = this.isMidLine && !this.isRest ? Buffer.concat([Buffer.of(NEW_LINE), line!]) : line!;
    const written = this.writeSome(bytes);
    if (written === 0) throw Object.assign(new Error('Nothing was written'), { code: 'EAGAIN' });
    this.isMidLine = bytes[written - 1] !== NEW_LINE;
    this.waitingBytes -= line!.length;
    if (written < bytes.length) {
      const rest = bytes.subarray(written);
      this.waiting[0] = rest;
      this.waitingBytes += rest.length;
      this.isRest = true;
    } else {
      this.waiting.shift();
      this.isRest = false;
    }
  }

  private dropWaiting(): void {
    this.countDropped(this.waiting.length);
    this.waiting.length = 0;
    this.waitingBytes = 0;
    this.isRest = false;
  }

  private countDropped(lines: number): void {
    this.dropped += lines;
    this.untold += lines;
    this.lastDropMs = performance.now();
  }

  private retryLater(): void {
    if (this.timer) return;
    const again = () => {
      this.timer = null;
      this.flush();
    };
    this.timer = setTimeout(again, this.retries++ < 100 ? RETRY_MS : RETRY_SLOW_MS).unref();
  }
}
