import { countText } from '../../api/amount-text.js';

/* The times that people choose without cron: each hour, each day, a day of each week, a day of each month. Pure. */

export interface UsualTime {
  readonly every: 'hour' | 'day' | 'week' | 'month';
  /** `02:30`; of each hour it says nothing. */
  readonly time: string;
  /** 0: Sunday. */
  readonly weekday: number;
  readonly monthDay: number;
}

export const FIRST_TIME: UsualTime = { every: 'day', time: '02:30', weekday: 0, monthDay: 1 };

export const FIRST_CRON = '30 2 * * *';

const HOURLY = '0 * * * *';

/** Minute, hour, day of the month, any month, weekday. */
const AT_A_TIME = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|[0-7])$/;

/** @returns null: the line is none of the usual times */
export function usualTimeOf(cron: string): UsualTime | null {
  if (cron === HOURLY) return { ...FIRST_TIME, every: 'hour' };
  const [, minute = '', hour = '', monthDay = '', weekday = ''] = AT_A_TIME.exec(cron) ?? [];
  if (minute === '' || Number(minute) > 59 || Number(hour) > 23) return null;
  const at = { ...FIRST_TIME, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
  if (monthDay === '*') return weekday === '*' ? at : { ...at, every: 'week', weekday: Number(weekday) % 7 };
  const isDay = Number(monthDay) >= 1 && Number(monthDay) <= 31;
  return weekday === '*' && isDay ? { ...at, every: 'month', monthDay: Number(monthDay) } : null;
}

export function cronOf({ every, time, weekday, monthDay }: UsualTime): string {
  if (every === 'hour') return HOURLY;
  const [hour, minute] = time.split(':').map(Number);
  return `${minute} ${hour} ${every === 'month' ? monthDay : '*'} * ${every === 'week' ? weekday : '*'}`;
}

export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** `Every day at 02:30`, `Fridays at 18:00`, `Each month on the 1st at 03:00`. */
export function usualWords({ every, time, weekday, monthDay }: UsualTime): string {
  if (every === 'hour') return 'Every hour';
  if (every === 'week') return `${WEEKDAYS[weekday]}s at ${time}`;
  return every === 'day' ? `Every day at ${time}` : `Each month on the ${ordinal(monthDay)} at ${time}`;
}

/** Minute, hour, any day of any month, and several weekdays: `0 18 * * 1-5`, `30 2 * * 1,4`. */
const ON_DAYS = /^(\d{1,2}) (\d{1,2}) \* \* ([0-7](?:[-,][0-7]){1,6})$/;

/** Each so many minutes, or hours. */
const EACH = /^(?:\*\/(\d{1,2}) \*|(\d{1,2}) \*\/(\d{1,2})) \* \* \*$/;

/** A line that is none of the usual times, where it is easily said: `Monday to Friday at 18:00`, `Every 6 hours`. Null: it is not. */
export function rareWords(cron: string): string | null {
  const [, minute = '', hour = '', days = ''] = ON_DAYS.exec(cron) ?? [];
  if (days !== '') {
    const said = Number(minute) > 59 || Number(hour) > 23 ? null : daysText(days);
    return said === null ? null : `${said} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  }
  const [, minutes, past, hours] = EACH.exec(cron) ?? [];
  if (minutes !== undefined)
    return Number(minutes) > 1 && 60 % Number(minutes) === 0 ? `Every ${countText(Number(minutes), 'minute')}` : null;
  if (past === undefined || Number(past) > 59 || !(Number(hours) > 1) || 24 % Number(hours) !== 0) return null;
  return `Every ${countText(Number(hours), 'hour')}${past === '0' ? '' : `, at ${past} past`}`;
}

/** `1-5` is a run of days, `1,4` are single ones. Null: both at once. */
function daysText(days: string): string | null {
  const names = days.split(/[-,]/).map((day) => WEEKDAYS[Number(day) % 7]!);
  if (/^\d-\d$/.test(days)) return `${names[0]} to ${names[1]}`;
  if (days.includes('-')) return null;
  return LIST.format(names.map((name) => `${name}s`));
}

const LIST = new Intl.ListFormat('en-GB');

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1st`, `22nd`. */
export const ordinal = (day: number): string => `${day}${ENDS[ORDINALS.select(day)] ?? 'th'}`;
