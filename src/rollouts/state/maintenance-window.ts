import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';
import { z } from 'zod';
import { oneSpelling } from '../../platform/time-zone.js';

/*
 * When a rollout may start on a device: weekly windows in the time zone of the device. Pure.
 *
 * A window is a rule in local time; instants are computed as late as possible, since rules of time zones change. The
 * meaning of a local time on the two special days of a year:
 *   it does not exist (spring)   it is the instant at which the clock jumps over it
 *   it exists twice (autumn)     it is the first of the two, for the start and for the end
 * So a window never opens early and never closes late; one inside the missing hour does not open that day. Windows that
 * touch or overlap are one period: the work must fit into the period.
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
      .describe('The days on which it opens; a window that crosses midnight belongs to the day on which it opens'),
    from: localTime.describe('When it opens, in the time zone of the device'),
    to: localTime.describe('When it closes; not later than `from` means on the next day'),
    except: z.array(localDate).max(366).default([]).describe('Dates on which it does not open'),
  })
  .meta({ id: 'MaintenanceWindow' });
export type MaintenanceWindow = z.output<typeof maintenanceWindow>;

/** A period: from `opensAt` until before `closesAt`, in milliseconds since 1970. */
export interface Opening {
  readonly opensAt: number;
  readonly closesAt: number;
}

const ALWAYS: Opening = { opensAt: Number.NEGATIVE_INFINITY, closesAt: Number.POSITIVE_INFINITY };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** How far ahead to search for an opening: exceptions can close a yearly season, and a plan of years is useless. */
const HORIZON_DAYS = 1_100;

/** Days for which a clock caches its offset. */
const OFFSETS_KEPT = 2_000;

/** No window is longer than a day, and a day has at most 25 hours. */
const LOOK_BACK_DAYS = 2;

/** Names of time zones; there are about 600. */
const CLOCKS_MAX = 700;

/** Whether work that takes `neededMs` may start now. It reads only the days of that work, since sweeps ask often. */
export function isWindowOpen(windows: readonly MaintenanceWindow[], zone: string, now: number, neededMs = 0): boolean {
  if (windows.length === 0) return true;
  const lastDay = LocalClock.of(zone).dayOf(now + neededMs) + 1;
  const [first] = openings(windows, zone, now, lastDay);
  return first !== undefined && first.opensAt <= now && now + neededMs <= first.closesAt;
}

/** Walks forwards through the openings of a clock: it computes each day once, however often the next is requested. */
export class OpeningsAhead {
  private readonly ahead: Iterator<Opening>;
  private current: Opening | null = null;

  /**
   * @param windows none: always
   * @param zone IANA name of the device's time zone
   * @param from no earlier instant is requested
   */
  constructor(windows: readonly MaintenanceWindow[], zone: string, from: number) {
    this.ahead = windows.length === 0 ? [ALWAYS].values() : openings(windows, zone, from);
  }

  /**
   * The next period in which work that takes `neededMs` at most can start and end, at or after `from`.
   * @returns when it can start, and when the window closes; null when none opens within three years
   */
  next(from: number, neededMs: number): { readonly at: number; readonly closesAt: number } | null {
    for (;;) {
      this.current ??= (this.ahead.next().value as Opening | undefined) ?? null;
      if (!this.current) return null;
      const { opensAt, closesAt } = this.current;
      const at = Math.max(from, opensAt);
      if (at < closesAt && at + neededMs <= closesAt) return { at, closesAt };
      this.current = null;
    }
  }
}

/** All periods that end after `from` and start until `lastDay`, in order, with touching ones joined. */
function* openings(
  windows: readonly MaintenanceWindow[],
  zone: string,
  from: number,
  lastDay = LocalClock.of(zone).dayOf(from) + HORIZON_DAYS,
): Generator<Opening> {
  const clock = LocalClock.of(zone);
  let open: Opening | null = null;
  for (let day = clock.dayOf(from) - LOOK_BACK_DAYS; day <= lastDay; day++) {
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

/** The openings that start on one local day, in order. */
function openingsOf(windows: readonly MaintenanceWindow[], clock: LocalClock, day: number): Opening[] {
  // 1970-01-01 was a Thursday.
  const weekday = WEEKDAYS[(((day + 3) % 7) + 7) % 7]!;
  const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
  return windows
    .filter((window) => window.days.includes(weekday) && !exceptionsOf(window).has(date))
    .map(({ from, to }) => ({
      opensAt: clock.instantOf(day, minutesOf(from)),
      closesAt: clock.instantOf(to > from ? day : day + 1, minutesOf(to)),
    }))
    .filter(({ opensAt, closesAt }) => opensAt < closesAt)
    .toSorted((a, b) => a.opensAt - b.opensAt);
}

/** Dates as a set: a list of hundreds of them would be searched for each day. */
const exceptions = new WeakMap<MaintenanceWindow, ReadonlySet<string>>();

function exceptionsOf(window: MaintenanceWindow): ReadonlySet<string> {
  let dates = exceptions.get(window);
  if (!dates) exceptions.set(window, (dates = new Set(window.except)));
  return dates;
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

class LocalClock {
  private static readonly known = new LRUCache<string, LocalClock>({ max: CLOCKS_MAX });

  /** Offsets at midnights of UTC, since a look-up costs some microseconds. */
  private readonly offsets = new LRUCache<number, number>({ max: OFFSETS_KEPT });

  private constructor(private readonly zone: IANAZone) {}

  static of(zone: string): LocalClock {
    const name = oneSpelling(zone);
    let clock = LocalClock.known.get(name);
    if (!clock) LocalClock.known.set(name, (clock = new LocalClock(IANAZone.create(name))));
    return clock;
  }

  /** The local day of an instant, in days since 1970; in the hour of a change it may be wrong by one day. */
  dayOf(instant: number): number {
    return Math.floor((instant + this.offsetAtMidnight(Math.floor(instant / DAY_MS))) / DAY_MS);
  }

  /** The first instant at which the clock shows a local time or jumps over it. @param day in days since 1970, local */
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

  /** Local time minus UTC, in milliseconds. */
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
