import { type Schema } from '../../api/client.js';
import { grouped } from '../rollouts/reasons.js';
import { clockText, openingsByDay } from '../rollouts/openings.js';
import { rhythmText } from './rhythm.js';

/* What will run in the next two weeks, by day in one time zone. */

const DAY_MS = 86_400_000;

/** Runs that are asked for: two weeks of three a day. */
export const RUNS_ASKED = 48;

/** More runs of one schedule on one day are one entry. */
const TOGETHER = 3;

interface Entry {
  readonly key: string;
  /** `02:30`, in the zone of the calendar; empty for windows, which are in the zone of each device. */
  readonly time: string;
  readonly name: string;
  readonly about: string;
  readonly to: string;
  readonly isWindow: boolean;
  /** How many runs it stands for. */
  readonly times: number;
  /** The last run that was asked for; its schedule has more. */
  readonly goesOn: boolean;
}

export interface Day {
  /** `2026-11-24`. */
  readonly date: string;
  readonly title: string;
  readonly entries: readonly Entry[];
}

const OPEN = new Set(['scheduled', 'running', 'paused', 'awaiting_approval']);

interface CalendarInput {
  readonly schedules: readonly Schema<'Schedule'>[];
  readonly policies: readonly Schema<'BackupPolicy'>[];
  readonly rollouts: readonly Schema<'Rollout'>[];
  readonly zone: string;
  /** In milliseconds. */
  readonly now: number;
}

/** The days from today on, each with its entries in their order. */
export function calendar({ schedules, policies, rollouts, zone, now }: CalendarInput, days = 14): readonly Day[] {
  const runs = [
    ...schedules.flatMap((one) => runsOf(one, '/schedules', zone)),
    ...policies.flatMap((one) => runsOf(one, '/backups?tab=policies', zone)),
    ...rollouts.flatMap((one) => startOf(one, zone)),
  ];
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

type RecurringWork = Pick<
  Schema<'Schedule'>,
  'id' | 'name' | 'enabled' | 'orphaned' | 'quarantinedAt' | 'nextRuns' | 'rhythm'
>;

function runsOf(recurring: RecurringWork, to: string, zone: string): Run[] {
  const { id, name, enabled, orphaned, quarantinedAt, nextRuns, rhythm } = recurring;
  if (!enabled || orphaned || quarantinedAt) return [];
  const lastAt = nextRuns.length === RUNS_ASKED ? nextRuns.at(-1) : undefined;
  const about = rhythmText(rhythm);
  return grouped(nextRuns, (at) => dateIn(at, zone)).flatMap(([date, all]): Run[] => {
    const run = { date, name, about, to, isWindow: false };
    const goesOn = (at: string | undefined) => at !== undefined && at === lastAt;
    if (all.length > TOGETHER) {
      const time = `${timeIn(all[0]!, zone)}–${timeIn(all.at(-1)!, zone)}`;
      return [{ ...run, key: `${id} ${date}`, time, times: all.length, goesOn: goesOn(all.at(-1)) }];
    }
    return all.map((at) => ({ ...run, key: `${id} ${at}`, time: timeIn(at, zone), times: 1, goesOn: goesOn(at) }));
  });
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
      times: 1,
      goesOn: false,
    },
  ];
}

/** Windows of open rollouts: they open in the time zone of each device. */
function windowsOn(date: string, rollouts: readonly Schema<'Rollout'>[]): Entry[] {
  return rollouts
    .filter(({ state }) => OPEN.has(state))
    .flatMap(({ id, name, policy: { windows, timeZone } }) =>
      openingsByDay(windows, date, 1).flatMap(({ openings }) =>
        openings.map(({ from, to }) => ({
          key: `${id} ${from} ${to}`,
          time: `${clockText(from)}–${clockText(to)}`,
          name,
          about: `window, in the time zone of each device; ${timeZone} for devices without one`,
          to: `/rollouts/${id}`,
          isWindow: true,
          times: 1,
          goesOn: false,
        })),
      ),
    );
}
