import { describe, expect, it } from 'vitest';
import { datesOf, datesText, daysAfter, weeksFrom } from '../../../../console/src/screens/schedules/calendar-dates.js';
import { calendar } from '../../../../console/src/screens/schedules/calendar-entries.js';
import { pastRun, wholeDays } from '../../../../console/src/screens/schedules/past-runs.js';

const NOW = Date.parse('2026-11-28T09:00:00Z');
const DATES = weeksFrom(undefined, 'week', '2026-11-28');

const schedule = {
  id: 's',
  name: 'Nightly',
  enabled: true,
  orphaned: false,
  quarantinedAt: null,
  nextRuns: ['2026-11-29T00:30:00Z'],
  rhythm: { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' },
};
const counts = {
  waiting: 0,
  queued: 0,
  running: 0,
  offline: 0,
  succeeded: 2,
  failed: 0,
  unknown: 0,
  skipped: 0,
  cancelled: 0,
};
const rollout = {
  id: 'r',
  name: 'Firmware',
  state: 'finished',
  startsAt: null,
  startedAt: '2026-11-27T22:00:00Z',
  counts,
  policy: { windows: [], timeZone: 'UTC' },
};

const daysOf = (given: object, zone = 'UTC') =>
  calendar({ schedules: [], policies: [], rollouts: [], zone, now: NOW, ...given }, DATES);

describe('the calendar', () => {
  it('has whole weeks from a Monday on', () => {
    expect(DATES).toEqual({ first: '2026-11-23', days: 7 });
    expect(weeksFrom('2026-12-06', 'month', '2026-11-28')).toEqual({ first: '2026-11-30', days: 35 });
    expect(weeksFrom('nonsense', 'week', '2026-11-28')).toEqual(DATES);
    expect(datesOf(DATES).at(-1)).toBe('2026-11-29');
    expect(daysAfter('2026-11-23', -7)).toBe('2026-11-16');
    expect(datesText(DATES)).toMatch(/^23\s*–\s*29 Nov 2026$/u);
  });

  it('has what a backup policy did on past days, without the day that is known in part', () => {
    const job = (createdAt: string, outcome: string, startedBy = 'system:backup-policy:p') => ({
      startedBy,
      startedByName: 'Ada',
      reason: 'backup policy Nightly',
      outcome,
      createdAt,
    });
    const jobs = [
      job('2026-11-27T00:30:11Z', 'failed'),
      job('2026-11-27T00:30:00Z', 'succeeded'),
      job('2026-11-26T10:00:00Z', 'succeeded', 'key:ada'),
      job('2026-11-26T00:30:00Z', 'succeeded'),
    ];
    expect(
      daysOf({ backups: jobs }).map(({ entries }) => entries.map(({ time, name, about }) => [time, name, about])),
    ).toEqual([
      [],
      [],
      [],
      [['00:30', 'Nightly', '1 of 1 backup made']],
      [['00:30', 'Nightly', '1 of 2 backups made']],
      [],
      [],
    ]);
    expect(wholeDays(jobs, true, (at) => at.slice(0, 10))).toEqual(jobs.slice(0, 2));
    expect(wholeDays(jobs, false, (at) => at.slice(0, 10))).toEqual(jobs);
  });

  it('has a run at its day and time in the zone of the reader, with its rhythm', () => {
    const days = daysOf({ schedules: [schedule] });
    expect(days.map(({ entries }) => entries.length)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    expect(days[6]!.entries[0]).toMatchObject({
      time: '00:30',
      tone: null,
      about: 'Every day at 02:30 Europe/Vilnius',
    });
    expect(daysOf({ policies: [schedule] })[6]!.entries[0]).toMatchObject({
      about: 'from the backup policy, Every day at 02:30 Europe/Vilnius',
      to: `/backups?tab=policies&policy=${schedule.id}`,
    });
    expect(daysOf({ schedules: [schedule] }, 'America/New_York')[5]!.entries[0]!.time).toBe('19:30');
    expect(daysOf({ schedules: [{ ...schedule, enabled: false }] })[6]!.entries).toEqual([]);
  });

  it.each([
    ['finished', 0, 'good', '2 of 2 devices succeeded'],
    ['finished', 1, 'bad', '2 of 3 devices succeeded'],
    ['paused', 0, 'warn', 'paused: 2 of 2 devices succeeded'],
    ['running', 0, 'busy', 'runs: 2 of 2 devices succeeded'],
    ['aborted', 0, 'bad', 'aborted: 2 of 2 devices succeeded'],
  ])('shows how a rollout of the past went: %s, %i failed', (state, failed, tone, about) => {
    const days = daysOf({ rollouts: [{ ...rollout, state, counts: { ...counts, failed } }] });
    expect(days[4]!.entries[0]).toMatchObject({ time: '22:00', tone, about });
    expect(days.map(({ isPast }) => isPast)).toEqual([true, true, true, true, true, false, false]);
  });

  it('says of a rollout that was ended before it began that it was discarded', () => {
    const of = { ...rollout, state: 'aborted', startedAt: null } as const;
    expect(pastRun(of)).toEqual({ tone: 'warn', about: 'discarded before it began' });
  });

  it('has windows of open rollouts from today on only', () => {
    const policy = {
      windows: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '22:00', to: '23:00', except: [] }],
      timeZone: 'UTC',
    };
    const days = daysOf({ rollouts: [{ ...rollout, state: 'running', policy }] });
    const windows = days.map(({ entries }) => entries.filter(({ isWindow }) => isWindow).length);
    expect(windows).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });
});
