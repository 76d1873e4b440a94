/*
 * The deadlines of all running calls, checked by one timer. A timer for each call would cost more than the rest of its
 * book-keeping, and nearly none of them ever fires.
 */

/** The interval of checks, and so the longest delay after a deadline. */
const SWEEP_MS = 25;

/** What has a deadline. */
export interface Timed {
  /** By `performance.now()`. */
  dueAt: number;
  /** Its index in the list; -1: it is not in it. */
  deadlineIndex: number;
  /** Called when it is due, until it is removed or due later. */
  checkTime(now: number): void;
}

/** An array whose entries know their index: each call is added and removed. */
class Deadlines {
  private readonly running: Timed[] = [];
  private timer: NodeJS.Timeout | null = null;

  add(timed: Timed): void {
    if (timed.deadlineIndex >= 0) return;
    timed.deadlineIndex = this.running.push(timed) - 1;
    this.timer ??= setInterval(() => this.checkAll(), SWEEP_MS).unref();
  }

  remove(timed: Timed): void {
    const { deadlineIndex } = timed;
    if (deadlineIndex < 0) return;
    const last = this.running.pop()!;
    if (last !== timed) {
      this.running[deadlineIndex] = last;
      last.deadlineIndex = deadlineIndex;
    }
    timed.deadlineIndex = -1;
  }

  private checkAll(): void {
    const now = performance.now();
    // Backwards, since a check removes what is due.
    for (let index = this.running.length - 1; index >= 0; index--) {
      const timed = this.running[index];
      if (timed && timed.dueAt <= now) timed.checkTime(now);
    }
    if (this.running.length > 0 || !this.timer) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

export const deadlines = new Deadlines();
