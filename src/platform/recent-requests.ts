/*
 * How many requests were answered in the last minute, and how long the slowest hundredth of them took. Counts by steps of 15 %
 * of time, so that an answered request costs two additions. Pure.
 */

const SLOTS = 6;
const SLOT_MS = 10_000;

/** The upper end of a step is 15 % above the one before; the first is 0.1 ms, the last above two minutes. */
const STEP = Math.log(1.15);
const FIRST_MS = 0.1;
const STEPS = 102;

const stepOf = (ms: number): number =>
  Math.min(STEPS - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, FIRST_MS) / FIRST_MS) / STEP)));
const endOf = (step: number): number => FIRST_MS * Math.exp(step * STEP);

export interface Traffic {
  readonly perSecond: number;
  /** null: there was no request. */
  readonly p99Ms: number | null;
}

export class RecentRequests {
  private readonly counts = Array.from({ length: SLOTS }, () => new Uint32Array(STEPS));
  /** Of which ten seconds each slot has the counts. */
  private readonly turns = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

  add(ms: number, nowMs: number): void {
    const turn = Math.floor(nowMs / SLOT_MS);
    const slot = turn % SLOTS;
    if (this.turns[slot] !== turn) {
      this.turns[slot] = turn;
      this.counts[slot]!.fill(0);
    }
    this.counts[slot]![stepOf(ms)]!++;
  }

  /** The requests of the last minute by step. */
  read(nowMs: number): number[] {
    const turn = Math.floor(nowMs / SLOT_MS);
    return sumOf(this.counts.filter((_, slot) => turn - this.turns[slot]! < SLOTS));
  }
}

/** @param processes what `read` gave in each process of this machine */
export function trafficOf(processes: readonly (readonly number[])[], nowMs: number): Traffic {
  const sums = sumOf(processes);
  const all = sums.reduce((sum, count) => sum + count, 0);
  const seconds = ((SLOTS - 1) * SLOT_MS + (nowMs % SLOT_MS)) / 1_000;
  return { perSecond: all / seconds, p99Ms: all === 0 ? null : endOf(slowest(sums, all)) };
}

const sumOf = (counts: readonly ArrayLike<number>[]): number[] =>
  Array.from({ length: STEPS }, (_, step) => counts.reduce((sum, count) => sum + (count[step] ?? 0), 0));

/** The step below which 99 of 100 are. */
function slowest(sums: readonly number[], all: number): number {
  let left = Math.floor(all / 100);
  for (let step = STEPS - 1; step > 0; step--) {
    left -= sums[step]!;
    if (left < 0) return step;
  }
  return 0;
}
