import { type components } from '../../../../src/api-client/openapi.js';
import { grouped } from '../rollouts/reasons.js';
import { clockText, openingsByDay } from '../rollouts/openings.js';
import { pastRun, policyRuns, type RunTone } from './past-runs.js';
import { type Dates, datesOf } from './calendar-dates.js';
import { rhythmText } from './rhythm.js';

/* What ran and what will run, by day in one time zone. */

/** Runs that are asked for: two weeks of three a day. */
export const RUNS_ASKED = 48;

/** More runs of one schedule on one day are one entry. */
const TOGETHER = 3;

export interface Entry {
  readonly key: string;
  /** `02:30`, in the zone of the calendar; empty for windows, which are in the zone of each device. */
  readonly time: string;
  readonly name: string;
  readonly about: string;
  /** Beside the name, such as `1 failed`. */
  readonly note?: string;
  /** The address of its screen; from `?` on, of its dialog over the calendar. */
  readonly to: string;
  /** How a run of the past went; null: it has not begun. */
  readonly tone: RunTone | null;
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
  readonly isPast: boolean;
  readonly isToday: boolean;
  readonly entries: readonly Entry[];
}

const OPEN = new Set(['scheduled', 'running', 'paused', 'awaiting_approval']);

type Schemas = components['schemas'];

interface CalendarInput {
  readonly schedules: readonly Schemas['Schedule'][];
  readonly policies: readonly Schemas['BackupPolicy'][];
  readonly rollouts: readonly Schemas['Rollout'][];
  /** Backups that have ended, the newest first. */
  readonly backups?: readonly Schemas['Job'][];
  readonly zone: string;
  /** In milliseconds. */
  readonly now: number;
}

/** The days of a part of the calendar, each with its entries in their order. */
export function calendar(
  { schedules, policies, rollouts, backups = [], zone, now }: CalendarInput,
  dates: Dates,
): readonly Day[] {
  const runs = [
    ...schedules.flatMap((one) => runsOf(one, `?schedule=${one.id}`, zone)),
    ...policies.flatMap((one) =>
      runsOf(one, `/backups?tab=policies&policy=${one.id}`, zone, 'from the backup policy, '),
    ),
    ...rollouts.flatMap((one) => startOf(one, zone)),
    ...ranOf(backups, zone),
  ];
  const title = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
  const today = dateIn(now, zone);
  return datesOf(dates).map((date) => {
    const entries = runs.filter((run) => run.date === date).toSorted((a, b) => a.time.localeCompare(b.time));
    const isPast = date < today;
    return {
      date,
      title: title.format(new Date(`${date}T12:00:00Z`)),
      isPast,
      isToday: date === today,
      entries: isPast ? entries : [...entries, ...windowsOn(date, rollouts)],
    };
  });
}

export function dateIn(at: string | number, zone: string): string {
  return new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone }).format(new Date(at));
}

function timeIn(at: string, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: zone }).format(new Date(at));
}

type Run = Entry & { readonly date: string };

type RecurringWork = Pick<
  Schemas['Schedule'],
  'id' | 'name' | 'enabled' | 'orphaned' | 'quarantinedAt' | 'nextRuns' | 'rhythm'
>;

/** @param origin before what it is about */
function runsOf(recurring: RecurringWork, to: string, zone: string, origin = ''): Run[] {
  const { id, name, enabled, orphaned, quarantinedAt, nextRuns, rhythm } = recurring;
  if (!enabled || orphaned || quarantinedAt) return [];
  const lastAt = nextRuns.length === RUNS_ASKED ? nextRuns.at(-1) : undefined;
  const about = `${origin}${rhythmText(rhythm)}`;
  return grouped(nextRuns, (at) => dateIn(at, zone)).flatMap(([date, all]): Run[] => {
    const run = { date, name, about, to, tone: null, isWindow: false };
    const goesOn = (at: string | undefined) => at !== undefined && at === lastAt;
    if (all.length > TOGETHER) {
      const time = `${timeIn(all[0]!, zone)}–${timeIn(all.at(-1)!, zone)}`;
      return [{ ...run, key: `${id} ${date}`, time, times: all.length, goesOn: goesOn(all.at(-1)) }];
    }
    return all.map((at) => ({ ...run, key: `${id} ${at}`, time: timeIn(at, zone), times: 1, goesOn: goesOn(at) }));
  });
}

/** What backup policies did, by day: their jobs tell it, also of a policy that is gone. */
const ranOf = (backups: readonly Schemas['Job'][], zone: string): Run[] =>
  policyRuns(backups, (at) => dateIn(at, zone)).map(({ key, date, at, name, tone, about, note }) => ({
    key,
    date,
    time: timeIn(at, zone),
    name,
    about,
    note,
    to: note ? '/jobs?kind=backup&outcome=failed' : '/jobs?kind=backup',
    tone,
    isWindow: false,
    times: 1,
    goesOn: false,
  }));

/** Where a rollout has begun, or will. */
function startOf(rollout: Schemas['Rollout'], zone: string): Run[] {
  const { id, name, state, startsAt, startedAt } = rollout;
  const at = startedAt ?? (OPEN.has(state) ? startsAt : null);
  if (at === null) return [];
  const { tone, about } = startedAt === null ? { tone: null, about: 'rollout starts' } : pastRun(rollout);
  return [
    {
      key: id,
      date: dateIn(at, zone),
      time: timeIn(at, zone),
      name,
      about,
      to: `/rollouts/${id}`,
      tone,
      isWindow: false,
      times: 1,
      goesOn: false,
    },
  ];
}

/** Windows of open rollouts: they open in the time zone of each device. */
function windowsOn(date: string, rollouts: readonly Schemas['Rollout'][]): Entry[] {
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
          tone: null,
          isWindow: true,
          times: 1,
          goesOn: false,
        })),
      ),
    );
}
