import { describe, expect, it } from 'vitest';
import { nextRun, nextRuns, rhythm } from '../../src/recurring/rhythm.js';

const at = (text: string) => Date.parse(text);
const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16) + 'Z';

describe('the rhythm of a schedule', () => {
  it.each([
    [
      'runs each night on the clock of its zone',
      '30 2 * * *',
      'Europe/Vilnius',
      '2026-11-21T12:00Z',
      '2026-11-22T00:30Z',
    ],
    ['runs on working days', '0 22 * * 1-5', 'America/New_York', '2026-11-21T12:00Z', '2026-11-24T03:00Z'],
    ['runs each quarter', '0 3 1 1,4,7,10 *', 'UTC', '2026-11-21T12:00Z', '2027-01-01T03:00Z'],
    ['does not run again at the instant of its run', '30 2 * * *', 'UTC', '2026-11-21T02:30Z', '2026-11-22T02:30Z'],
    ['runs on a leap day', '0 0 29 2 *', 'UTC', '2026-11-21T12:00Z', '2028-02-29T00:00Z'],
    // The hour that does not exist: it runs once, when the clock has jumped.
    ['runs once in spring (Vilnius)', '30 3 * * *', 'Europe/Vilnius', '2027-03-27T12:00Z', '2027-03-28T01:30Z'],
    ['runs once in spring (New York)', '30 2 * * *', 'America/New_York', '2027-03-13T12:00Z', '2027-03-14T07:30Z'],
    // The hour that exists twice: it runs in the first of the two.
    [
      'runs in the first of two hours in autumn',
      '30 3 * * *',
      'Europe/Vilnius',
      '2026-10-24T12:00Z',
      '2026-10-25T00:30Z',
    ],
    [
      'does not run in the second of two hours',
      '30 3 * * *',
      'Europe/Vilnius',
      '2026-10-25T00:30Z',
      '2026-10-26T01:30Z',
    ],
  ])('%s', (_words, cron, timeZone, after, expected) => {
    expect(iso(nextRun(rhythm.parse({ cron, timeZone }), at(after), 0))).toBe(expected);
  });

  it('keeps its pace from where it started, however late a run was', () => {
    const hourly = rhythm.parse({ everySeconds: 3_600 });
    const start = at('2026-11-21T00:10Z');
    expect(nextRuns(hourly, at('2026-11-21T05:55Z'), start, 3).map(iso)).toEqual([
      '2026-11-21T06:10Z',
      '2026-11-21T07:10Z',
      '2026-11-21T08:10Z',
    ]);
    expect(iso(nextRun(hourly, start, start))).toBe('2026-11-21T01:10Z');
    // The clock was set back since.
    expect(iso(nextRun(hourly, at('2026-11-20T22:00Z'), start))).toBe('2026-11-20T22:10Z');
  });

  it.each(['', '* * * *', '60 * * * *', '* * * * * *', '0 0 31 2 *', '@daily', 'often'])('refuses cron %p', (cron) => {
    expect(rhythm.safeParse({ cron }).success).toBe(false);
  });

  it('names the field of cron that is wrong', () => {
    const { error } = rhythm.safeParse({ cron: '0 0 31 2 *' });
    expect(JSON.stringify(error?.issues)).toContain('no such day');
    expect(JSON.stringify(rhythm.safeParse({ cron: 'H 2 * * *' }).error?.issues)).toContain('field 1 (minute)');
  });

  it('runs a stored line with H at the same time at each reading', () => {
    const stored = { cron: 'H H * * *', timeZone: 'UTC' };
    const runs = Array.from({ length: 20 }, () => nextRun(stored, 0, 0));
    expect(new Set(runs).size).toBe(1);
  });

  it.each([
    ['0 3 1 * 1', '2026-11-23 2026-11-30 2026-12-01 2026-12-07'],
    ['0 3 * * 7', '2026-11-22 2026-11-29 2026-12-06 2026-12-13'],
    ['0 3 * * 6-7', '2026-11-21 2026-11-22 2026-11-28 2026-11-29'],
    ['0 3 * * sat,SUN', '2026-11-21 2026-11-22 2026-11-28 2026-11-29'],
    ['0 3 1 jan-mar/2 *', '2027-01-01 2027-03-01 2028-01-01 2028-03-01'],
  ])('reads %s as its documents say', (cron, days) => {
    const runs = nextRuns(rhythm.parse({ cron }), at('2026-11-21T00:00Z'), 0, 4);
    expect(runs.map((run) => iso(run).slice(0, 10)).join(' ')).toBe(days);
  });

  it('refuses a pace below a minute, both rhythms at once, and a zone that there is not', () => {
    expect(rhythm.safeParse({ everySeconds: 59 }).success).toBe(false);
    expect(rhythm.safeParse({ cron: '* * * * *', everySeconds: 60 }).success).toBe(false);
    expect(rhythm.safeParse({ cron: '* * * * *', timeZone: 'Mars/Olympus' }).success).toBe(false);
  });
});
