import { type components } from '../../../../src/api-client/api-client.js';

/* When the windows of a rollout are open on each day, in local time: of which zone, the device decides. */

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

type Window = components['schemas']['RolloutPolicy']['windows'][number];

/** A part of a day, in minutes since midnight. */
interface Opening {
  readonly from: number;
  readonly to: number;
}

export interface OpenDay {
  /** `2026-11-24`. */
  readonly date: string;
  readonly openings: readonly Opening[];
}

/** @param first a date such as `2026-11-24` */
export function openingsByDay(windows: readonly Window[], first: string, days: number): readonly OpenDay[] {
  const noon = new Date(`${first}T12:00:00Z`).getTime();
  const dateAt = (at: number) => new Date(noon + at * DAY_MS).toISOString().slice(0, 10);
  return Array.from({ length: days }, (_, at) => ({
    date: dateAt(at),
    openings: [
      ...opensOn(windows, dateAt(at - 1)).flatMap(({ to }) =>
        to > DAY_MINUTES ? [{ from: 0, to: to - DAY_MINUTES }] : [],
      ),
      ...opensOn(windows, dateAt(at)).map(({ from, to }) => ({ from, to: Math.min(to, DAY_MINUTES) })),
    ].toSorted((a, b) => a.from - b.from),
  }));
}

/** The windows that open on a date; one that crosses midnight ends after 24:00. */
function opensOn(windows: readonly Window[], date: string): Opening[] {
  const weekday = WEEKDAYS[new Date(`${date}T12:00:00Z`).getUTCDay()] ?? 'sun';
  return windows
    .filter(({ days, except }) => days.includes(weekday) && !except.includes(date))
    .map(({ from, to }) => {
      const [opens, closes] = [minutesOf(from), minutesOf(to)];
      return { from: opens, to: closes > opens ? closes : closes + DAY_MINUTES };
    });
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

/** `02:30`; the end of a day is `24:00`. */
export const clockText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
