/*
 * Planned restarts: those of a device's scenario, at night or now and then at any hour, and those of its settings
 * (`auto_reboot/scheduler`), by days of the week or of the month (UTC). They need no timer: a device that is asked after such an instant counts its uptime from it, and takes no connection in the minute after it.
 */
import { chanceAt, STREAMS, wholeAt } from './noise.js';
import type { LiveMoment } from './scenarios.js';

const DAY_S = 86_400;

/** How long a device is away at such a restart, in seconds. */
export const BOOT_S = 75;

/** The latest planned restart at or before a moment, in seconds since 1970; null when there was none in a week. */
export function lastBoot({ seed, scenario, at }: LiveMoment): number | null {
  if (scenario.nightlyBoot === 0 && scenario.strayBoot === 0) return null;
  const isNightly = chanceAt(seed, STREAMS.boot, -1) < scenario.nightlyBoot;
  // From 2 to 4 o'clock, each device at its own minute: a fleet does not restart at once.
  const nightly = wholeAt(seed, STREAMS.boot, -2, 120, 240) * 60;
  for (let day = Math.floor(at / DAY_S), oldest = day - 7; day >= oldest; day--) {
    const boots = [
      ...(isNightly ? [nightly] : []),
      ...(chanceAt(seed, STREAMS.boot, day * 2) < scenario.strayBoot
        ? [wholeAt(seed, STREAMS.boot, day * 2 + 1, 0, DAY_S - 1)]
        : []),
    ].map((second) => day * DAY_S + second);
    const past = boots.filter((boot) => boot <= at);
    if (past.length > 0) return Math.max(...past);
  }
  return null;
}

/** As `getUTCDay` counts. */
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** A section of the scheduler, as far as it matters here. */
export type RebootSchedule = Readonly<Record<string, string | readonly string[]>>;

const RESTARTS_DEVICE = '1';

const listIn = (schedule: RebootSchedule, name: string): readonly string[] => {
  const value = schedule[name];
  return Array.isArray(value) ? value : [];
};

function isOn(schedule: RebootSchedule, date: Date): boolean {
  const months = listIn(schedule, 'months');
  if (months.length > 0 && !months.includes(String(date.getUTCMonth() + 1))) return false;
  if (schedule['period'] !== 'month') return listIn(schedule, 'days').includes(WEEKDAYS[date.getUTCDay()]!);
  const dayAfter = new Date(date.getTime() + DAY_S * 1000);
  const isLast = dayAfter.getUTCDate() === 1;
  return listIn(schedule, 'month_day').some(
    (day) =>
      Number(day) === date.getUTCDate() ||
      (isLast && schedule['force_last'] === '1' && Number(day) > date.getUTCDate()),
  );
}

/** Seconds of the day of `03:00:00`; null for another text. */
function secondOf(time: string): number | null {
  const [, hours, minutes, seconds] = /^(\d\d):(\d\d)(?::(\d\d))?$/.exec(time) ?? [];
  return hours === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0);
}

/** The latest restart that the settings plan between two instants (the first excluded), in seconds since 1970; null for none. */
export function scheduledBoot(schedules: readonly RebootSchedule[], after: number, until: number): number | null {
  let latest: number | null = null;
  for (const schedule of schedules) {
    if (schedule['enable'] !== '1' || schedule['action'] !== RESTARTS_DEVICE) continue;
    // A year back is enough: months may be named.
    const oldest = Math.max(Math.floor(after / DAY_S), Math.floor(until / DAY_S) - 366);
    for (let day = Math.floor(until / DAY_S); day >= oldest; day--) {
      if (!isOn(schedule, new Date(day * DAY_S * 1000))) continue;
      const instants = listIn(schedule, 'time').map((time) => day * DAY_S + (secondOf(time) ?? Number.NaN));
      const past = instants.filter((instant) => instant > after && instant <= until);
      latest = Math.max(latest ?? 0, ...past) || null;
    }
  }
  return latest;
}
