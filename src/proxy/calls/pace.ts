/*
 * How many calls work in the background may have under way, by how late the event loop is. Calls of people wait for the
 * turn of the loop that is under way, once for each of their steps; a turn is as long as the calls that are ready in it are
 * many. Devices that answer at once keep a core busy with a dozen calls, so that more only make turns longer; slow ones need
 * many under way, and leave the loop free. So the number follows the lateness: a fifth less while turns are long, more again
 * while they are short. Pure.
 */

/** Calls of fan-outs and jobs of a process at once: the rest of the sockets is for people. */
const MOST = 1_000;

/** Enough to keep a core busy with devices that answer from nearby. */
const LEAST = 32;

/** A turn that is longer is felt by people; one that is shorter leaves room for more. */
const LONG_MS = 8;
const SHORT_MS = 3;

const STEP_UP = 16;
const PART_DOWN = 0.8;

export class Pace {
  /** Calls that may be under way now. */
  atOnce = MOST;

  /**
   * @param lateMs how much later than asked for a timer of the loop has come
   * @param underWay calls that were under way meanwhile
   */
  note(lateMs: number, underWay: number): void {
    if (lateMs > LONG_MS) this.atOnce = Math.max(LEAST, Math.floor(Math.min(this.atOnce, underWay) * PART_DOWN));
    else if (lateMs < SHORT_MS) this.atOnce = Math.min(MOST, this.atOnce + STEP_UP);
  }
}
