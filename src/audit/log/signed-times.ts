import { type Checkpoint } from '../../merkle-log/checkpoint.js';

/*
 * What the signed times of checkpoints say of the times of rows: a row got its place after the checkpoint before it was
 * signed, and before the one behind it was. So a row that was slipped in later, with the time of long ago, stands out. Where
 * the clock was set back, the checkpoint behind says so, and rows may claim the times of both clocks.
 *
 * Checkpoints can be deleted. Rows got their places in the order of their times, so a row is not much older than those before
 * it either. Pure.
 */

/** How far a row's time may lie outside the checkpoints around it: the longest transaction, clocks of replicas, with room. */
const OUT_OF_TIME_MS = 10 * 60_000;

export class SignedTimes {
  private last: Checkpoint | null = null;
  /** The latest time that a row has claimed since the clock was set back last, and that was signed for. */
  private latestMs = 0;
  private setBack: { readonly fromMs: number; readonly untilMs: number } | null = null;

  /** @param nowMs what the clock shows: it may have been set back since the last checkpoint */
  constructor(private readonly nowMs: number) {}

  /** Takes a checkpoint whose leaves have all been passed. */
  pass(checkpoint: Checkpoint): void {
    const { size, signedAt, setBackFrom } = checkpoint;
    if (this.last && this.last.size > size) return;
    this.last = checkpoint;
    // Transactions that began before it commit their rows later.
    if (!setBackFrom) return;
    this.setBack = { fromMs: +setBackFrom, untilMs: +signedAt + OUT_OF_TIME_MS };
    this.latestMs = 0;
  }

  /** Whether a row at a place can have been written at a time. @param next the first checkpoint that contains it */
  allow(sequence: number, ms: number, next: Checkpoint | undefined): boolean {
    if (ms < this.earliestMs(sequence, next) || ms > this.lastMs(next)) return false;
    // A row may be ahead of the signature behind it, and must not make rows of other replicas look late by that.
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
