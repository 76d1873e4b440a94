/* How much data a device used on each day, from its counter of the day, which a router sets back at its own midnight. */

interface CounterPoint {
  readonly at: string;
  readonly min: number;
  readonly max: number;
}

export interface DataDay {
  /** As `2026-11-30`, in the zone of the device. */
  readonly date: string;
  readonly bytes: number;
}

/** A run of the counter without a fall. */
interface Run {
  readonly from: number;
  to: number;
  bytes: number;
}

/** Longer without a sample, the counter may have been set back unseen. */
const GAP_MS = 12 * 3_600_000;

/**
 * The days with a sample, the earliest first. A fall of the counter ends a day. A run belongs to the day of its middle: the
 * midnight of a router is often that of another zone. @param points the earliest first
 */
export function dataDays(points: readonly CounterPoint[], timeZone: string | null): readonly DataDay[] {
  const dates = new Intl.DateTimeFormat('en-CA', timeZone ? { timeZone } : {});
  const days = new Map<string, number>();
  for (const { from, to, bytes } of runsOf(points)) {
    const date = dates.format((from + to) / 2);
    days.set(date, Math.max(days.get(date) ?? 0, bytes));
  }
  return [...days].map(([date, bytes]) => ({ date, bytes }));
}

function runsOf(points: readonly CounterPoint[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { at, min, max } of points) {
    const ms = Date.parse(at);
    const run = runs.at(-1);
    if (run && ms - run.to < GAP_MS && min >= run.bytes) Object.assign(run, { to: ms, bytes: max });
    // Both the end of a day and the begin of the next one are in this point.
    else if (run && ms - run.to < GAP_MS && max > run.bytes) {
      Object.assign(run, { to: ms, bytes: max });
      runs.push({ from: ms, to: ms, bytes: min });
    } else runs.push({ from: ms, to: ms, bytes: max });
  }
  return runs;
}
