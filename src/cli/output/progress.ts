import { type Terminal } from '../context.js';
import { cutTo } from './text.js';

/* Progress of long work: one line that changes on a terminal, a line now and then in a pipe. */

export interface ProgressState {
  readonly done: number;
  readonly failed: number;
  /** Null while it is not known. */
  readonly total: number | null;
}

/** In a pipe a line this often, in milliseconds. */
const LINE_EVERY_MS = 10_000;
const ON_TERMINAL_EVERY_MS = 200;
/** Removes the line of the cursor. */
const REMOVED = '\r\u001b[2K';

type ProgressTerminal = Pick<Terminal, 'stderr' | 'isTerminal'> & Partial<Pick<Terminal, 'columns'>>;

export class WorkProgress {
  private readonly startedAt: number;
  private readonly everyMs: number;
  private shownAt: number;
  /** The state that is on the terminal, or in the last line. */
  private shown: ProgressState | null = null;
  private latest: ProgressState | null = null;
  private doneBefore = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param noun what is counted, such as `devices` */
  constructor(
    private readonly noun: string,
    private readonly terminal: ProgressTerminal,
    private readonly now: () => number = Date.now,
  ) {
    this.startedAt = this.shownAt = now(); // short work shows nothing
    this.everyMs = terminal.isTerminal ? ON_TERMINAL_EVERY_MS : LINE_EVERY_MS;
  }

  /** What was done before the command began has no part in the rate. */
  begin(done: number): void {
    this.doneBefore = done;
  }

  /** Takes a state. It is shown when its time comes, also if no other one follows. */
  update(state: ProgressState): void {
    this.latest = state;
    this.timer ??= setInterval(() => this.show(), this.everyMs).unref();
    this.show();
  }

  /** Removes the line from a terminal, so that what follows begins at its start. */
  clear(): void {
    if (this.shown && this.terminal.isTerminal) this.terminal.stderr.write(REMOVED);
    this.shown = null;
  }

  end(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    this.clear();
  }

  private show(): void {
    const { isTerminal, stderr, columns = 80 } = this.terminal;
    const now = this.now();
    if (!this.latest || now - this.shownAt < this.everyMs) return;
    if (!isTerminal && this.latest === this.shown) return;
    this.shownAt = now;
    this.shown = this.latest;
    const line = progressLine(this.noun, this.latest, now - this.startedAt, this.doneBefore);
    stderr.write(isTerminal ? `${REMOVED}${cutTo(line, columns - 1)}` : `${line}\n`);
  }
}

/** Such as `120 of 500 devices, 3 failed, 24/s, 16 s left`. */
export function progressLine(
  noun: string,
  { done, failed, total }: ProgressState,
  elapsedMs: number,
  doneBefore = 0,
): string {
  const perSecond = elapsedMs > 0 ? ((done - doneBefore) / elapsedMs) * 1_000 : 0;
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
