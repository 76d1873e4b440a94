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

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDS: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1st`, `22nd`. */
export const ordinal = (day: number): string => `${day}${ENDS[ORDINALS.select(day)] ?? 'th'}`;
