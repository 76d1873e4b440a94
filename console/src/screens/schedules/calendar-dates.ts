/* The part of the calendar that is shown: whole weeks from a Monday on. */

const DAY_MS = 86_400_000;

export interface Dates {
  /** A Monday, such as `2026-11-23`. */
  readonly first: string;
  readonly days: number;
}

/** As the tabs of the calendar name them, with their weeks. */
export const VIEWS = [
  ['week', 'Week', 1],
  ['month', 'Five weeks', 5],
] as const;

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** The weeks from the one of a date on. @param date such as `2026-11-28`; anything else is taken as `today` */
export function weeksFrom(date: string | undefined, view: string, today: string): Dates {
  const weeks = VIEWS.find(([name]) => name === view)?.[2] ?? 5;
  const noon = noonOf(isDate(date) ? date : today);
  const sinceMonday = (new Date(noon).getUTCDay() + 6) % 7;
  return { first: dateOf(noon - sinceMonday * DAY_MS), days: 7 * weeks };
}

/** The date so many days before or after. */
export const daysAfter = (date: string, days: number): string => dateOf(noonOf(date) + days * DAY_MS);

/** Each of the dates. */
export const datesOf = ({ first, days }: Dates): readonly string[] =>
  Array.from({ length: days }, (_, at) => daysAfter(first, at));

/** `23 Nov – 27 Dec 2026`. */
export function datesText({ first, days }: Dates): string {
  const last = daysAfter(first, days - 1);
  const withYear = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat('en-GB', withYear).formatRange(noonOf(first), noonOf(last));
}

const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(noonOf(text));
const noonOf = (date: string): number => Date.parse(`${date}T12:00:00Z`);
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
