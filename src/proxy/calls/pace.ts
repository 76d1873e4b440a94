/*
 * Limits background calls by the lag of the event loop. An interactive call waits for the current turn of the loop at
 * each of its steps, and each ready call makes a turn longer. Devices that answer at once keep a core busy with a dozen
 * calls, and more only make turns longer. Slow devices need many calls and leave the loop free. So the limit follows
 * the lag: a fifth less while turns are long, more again while they are short. Pure.
 */

/** The most background calls of a process; the other sockets are for people. */
const MOST = 1_000;

/** Enough to keep a core busy with nearby devices. */
const LEAST = 32;

/** People notice longer turns; shorter ones allow more calls. */
const LONG_MS = 8;
const SHORT_MS = 3;

const STEP_UP = 16;
const PART_DOWN = 0.8;

export class Pace {
  /** The present limit. */
  atOnce = MOST;

  /**
   * @param lateMs the delay of a timer of the loop, in milliseconds
   * @param underWay calls that were running during it
   */
  note(lateMs: number, underWay: number): void {
    if (lateMs > LONG_MS) this.atOnce = Math.max(LEAST, Math.floor(Math.min(this.atOnce, underWay) * PART_DOWN));
    else if (lateMs < SHORT_MS) this.atOnce = Math.min(MOST, this.atOnce + STEP_UP);
  }
}
