import { type Checkpoint } from '../../merkle-log/checkpoint.js';

/*
 * Checks the times of rows against the signed times of checkpoints. A row got its place between the signatures of the
 * checkpoints around it. So a row that was inserted later, with a time of long ago, is found. Where the clock was set
 * back, the next checkpoint records it, and rows may claim times of both clocks.
 *
 * Checkpoints can be deleted. Rows get their places in the order of their times, so a row is also not much older than
 * the rows before it. Pure.
 */

/** The longest transaction plus the differences of replicas' clocks, with a margin. */
const OUT_OF_TIME_MS = 10 * 60_000;

export class SignedTimes {
  private last: Checkpoint | null = null;
  /** The latest signed time of a row since the last set-back of the clock. */
  private latestMs = 0;
  private setBack: { readonly fromMs: number; readonly untilMs: number } | null = null;

  /** @param nowMs the present time; the clock may have been set back since the last checkpoint */
  constructor(private readonly nowMs: number) {}

  /** Adds a checkpoint after all its leaves. */
  add(checkpoint: Checkpoint): void {
    const { size, signedAt, setBackFrom } = checkpoint;
    if (this.last && this.last.size > size) return;
    this.last = checkpoint;
    // Transactions that began before the set-back commit their rows later.
    if (!setBackFrom) return;
    this.setBack = { fromMs: +setBackFrom, untilMs: +signedAt + OUT_OF_TIME_MS };
    this.latestMs = 0;
  }

  /** Whether a row at a place can have this time. @param next the first checkpoint that contains it */
  allow(sequence: number, ms: number, next: Checkpoint | undefined): boolean {
    if (ms < this.earliestMs(sequence, next) || ms > this.lastMs(next)) return false;
    // A row may be ahead of the next signature. Then it must not make rows of other replicas look late.
    if (next) this.latestMs = Math.max(this.latestMs, Math.min(ms, +next.signedAt));
    return true;
  }

  earliestMs(sequence: number, next?: Checkpoint): number {
    const placedAfter = next?.after && next.after.size <= sequence ? next.after : null;
    const isNearer = placedAfter !== null && placedAfter.size >= (this.last?.size ?? 0);
    const before = isNearer ? placedAfter : this.last;
    const afterSetBackMs = next ? (next.setBackFrom ? +next.signedAt : Infinity) : this.nowMs;
    const beforeMs = Math.max(before ? +before.signedAt : 0, this.latestMs);
    return Math.min(beforeMs, afterSetBackMs) - OUT_OF_TIME_MS;
  }

  private lastMs(next: Checkpoint | undefined): number {
    if (!next) return Infinity;
    const signedMs = +next.signedAt;
    const lateMs = this.setBack && signedMs <= this.setBack.untilMs ? this.setBack.fromMs : 0;
    return Math.max(signedMs, lateMs, +(next.setBackFrom ?? 0)) + OUT_OF_TIME_MS;
  }
}
