/* Restarts that the settings of a device plan: `auto_reboot/scheduler`, by days of the week or of the month (UTC). */

const DAY_S = 86_400;

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
