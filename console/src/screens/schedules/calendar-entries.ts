import { type Schema } from '../../api/client.js';
import { rhythmText } from './rhythm.js';

/* What will run in the next two weeks, by day in one time zone. */

const DAY_MS = 86_400_000;
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

interface Entry {
  readonly key: string;
  /** `02:30`, in the zone of the calendar; empty for windows, which are in the zone of each device. */
  readonly time: string;
  readonly name: string;
  readonly about: string;
  readonly to: string;
  readonly isWindow: boolean;
  /** The last known run of a schedule that has more. */
  readonly goesOn: boolean;
}

export interface Day {
  /** `2026-11-24`. */
  readonly date: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

const OPEN = new Set(['scheduled', 'running', 'paused', 'awaiting_approval']);

interface Given {
  readonly schedules: readonly Schema<'Schedule'>[];
  readonly rollouts: readonly Schema<'Rollout'>[];
  readonly zone: string;
  /** In milliseconds. */
  readonly now: number;
}

/** The days from today on, each with its entries in their order. */
export function calendar({ schedules, rollouts, zone, now }: Given, days = 14): readonly Day[] {
  const runs = [...schedules.flatMap((one) => runsOf(one, zone)), ...rollouts.flatMap((one) => startOf(one, zone))];
  const title = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const noon = new Date(`${dateIn(now, zone)}T12:00:00Z`).getTime();
  return Array.from({ length: days }, (_, at) => {
    const instant = noon + at * DAY_MS;
    const date = new Date(instant).toISOString().slice(0, 10);
    const entries = runs.filter((run) => run.date === date).toSorted((a, b) => a.time.localeCompare(b.time));
    return { date, title: title.format(instant), entries: [...entries, ...windowsOn(date, rollouts)] };
  });
}

function dateIn(at: string | number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone }).format(new Date(at));
}

function timeIn(at: string, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: zone }).format(new Date(at));
}

type Run = Entry & { readonly date: string };

function runsOf({ id, name, enabled, orphaned, nextRuns, rhythm }: Schema<'Schedule'>, zone: string): Run[] {
  if (!enabled || orphaned) return [];
  return nextRuns.map((at, place) => ({
    key: `${id} ${at}`,
    date: dateIn(at, zone),
    time: timeIn(at, zone),
    name,
    about: rhythmText(rhythm),
    to: '/schedules',
    isWindow: false,
    goesOn: place === nextRuns.length - 1,
  }));
}

function startOf({ id, name, state, startsAt }: Schema<'Rollout'>, zone: string): Run[] {
  if (!OPEN.has(state) || startsAt === null || state === 'running') return [];
  const date = dateIn(startsAt, zone);
  return [
    {
      key: id,
      date,
      time: timeIn(startsAt, zone),
      name,
      about: 'rollout starts',
      to: `/rollouts/${id}`,
      isWindow: false,
      goesOn: false,
    },
  ];
}

/** Windows of open rollouts: they open in the time zone of each device. */
function windowsOn(date: string, rollouts: readonly Schema<'Rollout'>[]): Entry[] {
  const weekday = WEEKDAYS[new Date(`${date}T12:00:00Z`).getUTCDay()] ?? 'sun';
  return rollouts
    .filter(({ state }) => OPEN.has(state))
    .flatMap(({ id, name, policy: { windows, timeZone } }) =>
      windows
        .filter(({ days, except }) => days.includes(weekday) && !except.includes(date))
        .map(({ from, to }) => ({
          key: `${id} ${from} ${to}`,
          time: `${from}–${to}`,
          name,
          about: `window, in the time zone of the device, else ${timeZone}`,
          to: `/rollouts/${id}`,
          isWindow: true,
          goesOn: false,
        })),
    );
}
