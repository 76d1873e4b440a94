import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';
import { z } from 'zod';

/*
 * When a rollout may begin work on a device: weekly windows on the clock that hangs at the device's site. Pure.
 *
 * A window is a rule in local time; instants are worked out as late as possible, since rules of time zones change.
 * What a local time means on the two odd days of a year:
 *   it does not exist (spring)   it is the instant at which the clock jumps over it
 *   it exists twice (autumn)     it is the first of the two, for the beginning and for the end
 * So a window never opens early and never closes late; one that lies wholly in the missing hour does not open that day.
 * Windows that touch or overlap are one stretch of time: what is to be done must fit into the stretch.
 */

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const localTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 02:30');
const localDate = z.iso.date();

export const maintenanceWindow = z
  .strictObject({
    days: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .max(7)
      .default([...WEEKDAYS])
      .describe('On which days it opens; a window that crosses midnight belongs to the day on which it opens'),
    from: localTime.describe('When it opens, on the clock of the device'),
    to: localTime.describe('When it closes; not later than `from` means on the next day'),
    except: z.array(localDate).max(366).default([]).describe('Dates on which it does not open'),
  })
  .meta({ id: 'MaintenanceWindow' });
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;

/** A stretch of time: from `opensAt` until before `closesAt`, in milliseconds since 1970. */
export interface Opening {
  readonly opensAt: number;
  readonly closesAt: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** How far ahead an opening is looked for: exceptions can close a yearly season. */
const HORIZON_DAYS = 400;

/** Days for which a clock remembers its offset. */
const OFFSETS_KEPT = 2_000;

/** No window is longer than a day, and a day has at most 25 hours. */
const LOOK_BACK_DAYS = 2;

/**
 * The next stretch in which work that takes `neededMs` can begin at or after `from`.
 * @param windows none means: always
 * @param zone IANA name of the device's time zone
 * @param neededMs how long the work takes at most; it must end before the window does
 * @returns the instant at which it can begin, and when the window closes; null when none opens within 400 days
 */
export function nextOpening(
  windows: readonly MaintenanceWindow[],
  zone: string,
  from: number,
  neededMs = 0,
): { readonly at: number; readonly closesAt: number } | null {
  if (windows.length === 0) return { at: from, closesAt: Number.POSITIVE_INFINITY };
  for (const { opensAt, closesAt } of openings(windows, zone, from)) {
    const at = Math.max(from, opensAt);
    if (at < closesAt && at + neededMs <= closesAt) return { at, closesAt };
  }
  return null;
}

/** Whether work that takes `neededMs` may begin now. */
export function mayBegin(windows: readonly MaintenanceWindow[], zone: string, now: number, neededMs = 0): boolean {
  return nextOpening(windows, zone, now, neededMs)?.at === now;
}

/** All stretches that end after `from`, in order, those that touch joined. */
function* openings(windows: readonly MaintenanceWindow[], zone: string, from: number): Generator<Opening> {
  const clock = LocalClock.of(zone);
  const today = clock.dayOf(from);
  let open: Opening | null = null;
  for (let day = today - LOOK_BACK_DAYS; day <= today + HORIZON_DAYS; day++) {
    for (const next of openingsOf(windows, clock, day)) {
      if (open && next.opensAt <= open.closesAt) {
        open = { opensAt: open.opensAt, closesAt: Math.max(open.closesAt, next.closesAt) };
        continue;
      }
      if (open && open.closesAt > from) yield open;
      open = next;
    }
  }
  if (open && open.closesAt > from) yield open;
}

/** The openings that begin on one local day, in order. */
function openingsOf(windows: readonly MaintenanceWindow[], clock: LocalClock, day: number): Opening[] {
  // 1970-01-01 was a Thursday.
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7]!;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return windows
    .filter(({ days, except }) => days.includes(weekday) && !except.includes(date))
    .map(({ from, to }) => ({
      opensAt: clock.instantOf(day, minutesOf(from)),
      closesAt: clock.instantOf(to > from ? day : day + 1, minutesOf(to)),
    }))
    .filter(({ opensAt, closesAt }) => opensAt < closesAt)
    .toSorted((a, b) => a.opensAt - b.opensAt);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** The clock that hangs somewhere: from local time to instants. */
class LocalClock {
  private static readonly known = new Map<string, LocalClock>();

  /** Offsets at midnights of UTC, since asking for one costs some microseconds. */
  private readonly offsets = new LRUCache<number, number>({ max: OFFSETS_KEPT });

  private constructor(private readonly zone: IANAZone) {}

  /** The clock of a zone; there are some 600. */
  static of(zone: string): LocalClock {
    let clock = LocalClock.known.get(zone);
    if (!clock) LocalClock.known.set(zone, (clock = new LocalClock(IANAZone.create(zone))));
    return clock;
  }

  /** The local day of an instant, in days since 1970; in the hour of a change it may be a day off. */
  dayOf(instant: number): number {
    return Math.floor((instant + this.offsetAtMidnight(Math.floor(instant / DAY_MS))) / DAY_MS);
  }

  /**
   * The first instant at which the clock shows a local time, or at which it jumps over it.
   * @param day local date, in days since 1970
   */
  instantOf(day: number, minutes: number): number {
    const local = day * DAY_MS + minutes * MINUTE_MS;
    // No other offset can apply: no zone is more than 14 hours from UTC, and none changes twice in three days.
    const before = this.offsetAtMidnight(day - 1);
    const after = this.offsetAtMidnight(day + 2);
    if (before === after) return local - before;
    const [first, second] = [local - before, local - after].toSorted((a, b) => a - b) as [number, number];
    if (first + this.offsetAt(first) === local) return first;
    if (second + this.offsetAt(second) === local) return second;
    return this.jump(first, second);
  }

  private offsetAtMidnight(day: number): number {
    let offset = this.offsets.get(day);
    if (offset === undefined) {
      this.offsets.set(day, (offset = this.offsetAt(day * DAY_MS)));
    }
    return offset;
  }

  /** What the clock shows more than UTC, in milliseconds. */
  private offsetAt(instant: number): number {
    return this.zone.offset(instant) * MINUTE_MS;
  }

  /** The instant in (low, high] at which the offset changes; clocks jump on whole minutes. */
  private jump(low: number, high: number): number {
    const offset = this.offsetAt(low);
    let [before, after] = [low, high];
    while (after - before > MINUTE_MS) {
      const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
      if (this.offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }
}
