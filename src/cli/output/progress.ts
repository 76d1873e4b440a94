import { type Terminal } from '../context.js';

/* WorkProgress of long work: one line that changes on a terminal, a line now and then in a pipe. */

export interface ProgressState {
  readonly done: number;
  readonly failed: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

/** In a pipe a line this often, in milliseconds. */
const LINE_EVERY_MS = 10_000;
const ON_TERMINAL_EVERY_MS = 200;

export class WorkProgress {
  private readonly startedAt: number;
  private shownAt: number;
  private shown = false;

  /** @param noun what is counted, such as `devices` */
  constructor(
    private readonly noun: string,
    private readonly terminal: Pick<Terminal, 'stderr' | 'isTerminal'>,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = this.shownAt = now(); // short work shows nothing
  }

  update(state: ProgressState): void {
    const now = this.now();
    if (now - this.shownAt < (this.terminal.isTerminal ? ON_TERMINAL_EVERY_MS : LINE_EVERY_MS)) return;
    this.shownAt = now;
    this.shown = true;
    const line = progressLine(this.noun, state, now - this.startedAt);
    this.terminal.stderr.write(this.terminal.isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  }

  /** Removes the line from a terminal, so that what follows begins at its start. */
  end(): void {
    if (this.shown && this.terminal.isTerminal) this.terminal.stderr.write('\r\u001b[2K');
    this.shown = false;
  }
}

/** Such as `120 of 500 devices, 3 failed, 24/s, 16 s left`. */
export function progressLine(noun: string, { done, failed, total }: ProgressState, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? (done / elapsedMs) * 1_000 : 0;
  const parts = [total === null ? `${done} ${noun}` : `${done} of ${total} ${noun}`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (perSecond >= 0.1) parts.push(`${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`);
  if (total !== null && total > done && perSecond > 0) parts.push(`${leftOf((total - done) / perSecond)} left`);
  return parts.join(', ');
}

function leftOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
