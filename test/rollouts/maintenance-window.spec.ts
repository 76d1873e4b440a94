import { describe, expect, it } from 'vitest';
import { DateTime } from 'luxon';
import { timeZone } from '../../src/platform/time-zone.js';
import {
  maintenanceWindow,
  type MaintenanceWindow,
  isWindowOpen,
  OpeningsAhead,
} from '../../src/rollouts/state/maintenance-window.js';

const HOUR = 3_600_000;

const nextOpening = (windows: readonly MaintenanceWindow[], zone: string, from: number, neededMs = 0) =>
  new OpeningsAhead(windows, zone, from).next(from, neededMs);

/** `days` as a list in one word, `22:00-04:00`, dates on which it does not open. */
const EVERY_DAY = 'mon tue wed thu fri sat sun';

function window(hours: string, days = EVERY_DAY, ...except: string[]) {
  const [from, to] = hours.split('-');
  return maintenanceWindow.parse({ days: days.split(' '), from, to, except });
}

/** An instant as the clock of the zone shows it, with its offset, so that the hours of autumn can be told apart. */
const shown = (instant: number, zone: string) =>
  DateTime.fromMillis(instant, { zone }).toISO({ suppressMilliseconds: true, suppressSeconds: true });

// 2026-11-23 is a Monday. In 2026 clocks change in Europe on 03-29 and 10-25, in New York on 03-08 and 11-01,
// on Lord Howe (by half an hour) on 04-05 and 10-04, in Santiago (at midnight) on 04-05 and 09-06.
describe('a maintenance window', () => {
  const cases: [
    words: string,
    zone: string,
    hours: string,
    now: string,
    opens: string,
    closes: string,
    days?: string | undefined,
    except?: string[],
  ][] = [
    // Plain days.
    [
      'is open at its first instant',
      'Europe/Vilnius',
      '22:00-23:00',
      '2026-11-23T20:00Z',
      '2026-11-23T22:00+02:00',
      '2026-11-23T23:00+02:00',
    ],
    [
      'is open one minute before its end',
      'Europe/Vilnius',
      '22:00-23:00',
      '2026-11-23T20:59Z',
      '2026-11-23T22:59+02:00',
      '2026-11-23T23:00+02:00',
    ],
    [
      'is closed at its end, until the next day',
      'Europe/Vilnius',
      '22:00-23:00',
      '2026-11-23T21:00Z',
      '2026-11-24T22:00+02:00',
      '2026-11-24T23:00+02:00',
    ],
    [
      'opens later on the same day',
      'Europe/Vilnius',
      '22:00-23:00',
      '2026-11-23T05:00Z',
      '2026-11-23T22:00+02:00',
      '2026-11-23T23:00+02:00',
    ],
    [
      'follows the zone of the device and not UTC',
      'America/New_York',
      '22:00-23:00',
      '2026-11-23T20:00Z',
      '2026-11-23T22:00-05:00',
      '2026-11-23T23:00-05:00',
    ],
    [
      'follows a zone far ahead',
      'Pacific/Kiritimati',
      '01:00-02:00',
      '2026-11-23T11:30Z',
      '2026-11-24T01:30+14:00',
      '2026-11-24T02:00+14:00',
    ],
    [
      'follows a zone far behind',
      'Pacific/Niue',
      '01:00-02:00',
      '2026-11-23T12:30Z',
      '2026-11-23T01:30-11:00',
      '2026-11-23T02:00-11:00',
    ],
    [
      'follows a zone of quarter hours',
      'Asia/Kathmandu',
      '02:00-03:00',
      '2026-11-23T20:15Z',
      '2026-11-24T02:00+05:45',
      '2026-11-24T03:00+05:45',
    ],
    ['follows UTC itself', 'UTC', '02:00-03:00', '2026-11-23T01:00Z', '2026-11-23T02:00Z', '2026-11-23T03:00Z'],
    // Days of the week.
    [
      'waits for its day',
      'Europe/Vilnius',
      '01:00-05:00',
      '2026-11-23T12:00Z',
      '2026-11-28T01:00+02:00',
      '2026-11-28T05:00+02:00',
      'sat',
    ],
    [
      'waits a week for its only day',
      'Europe/Vilnius',
      '01:00-05:00',
      '2026-11-28T03:00Z',
      '2026-12-05T01:00+02:00',
      '2026-12-05T05:00+02:00',
      'sat',
    ],
    [
      'takes the nearer of two days',
      'Europe/Vilnius',
      '01:00-05:00',
      '2026-11-25T12:00Z',
      '2026-11-26T01:00+02:00',
      '2026-11-26T05:00+02:00',
      'mon thu',
    ],
    [
      'counts days on the local calendar',
      'Pacific/Kiritimati',
      '01:00-05:00',
      '2026-11-22T12:00Z',
      '2026-11-23T02:00+14:00',
      '2026-11-23T05:00+14:00',
      'mon',
    ],
    // Midnight.
    [
      'crosses midnight: open before it',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-23T21:00Z',
      '2026-11-23T23:00+02:00',
      '2026-11-24T04:00+02:00',
    ],
    [
      'crosses midnight: open after it',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-24T01:00Z',
      '2026-11-24T03:00+02:00',
      '2026-11-24T04:00+02:00',
    ],
    [
      'crosses midnight: closed at its end',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-24T02:00Z',
      '2026-11-24T22:00+02:00',
      '2026-11-25T04:00+02:00',
    ],
    [
      'belongs to the day on which it opens',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-24T01:00Z',
      '2026-11-24T03:00+02:00',
      '2026-11-24T04:00+02:00',
      'mon',
    ],
    [
      'does not open on the day after its own',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-24T20:30Z',
      '2026-11-30T22:00+02:00',
      '2026-12-01T04:00+02:00',
      'mon',
    ],
    [
      'goes from Sunday into Monday',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-11-22T23:00Z',
      '2026-11-23T01:00+02:00',
      '2026-11-23T04:00+02:00',
      'sun',
    ],
    [
      'ends at midnight',
      'Europe/Vilnius',
      '20:00-00:00',
      '2026-11-23T21:00Z',
      '2026-11-23T23:00+02:00',
      '2026-11-24T00:00+02:00',
    ],
    [
      'begins at midnight',
      'Europe/Vilnius',
      '00:00-02:00',
      '2026-11-23T22:00Z',
      '2026-11-24T00:00+02:00',
      '2026-11-24T02:00+02:00',
    ],
    [
      'crosses the end of a year',
      'Europe/Vilnius',
      '23:00-01:00',
      '2026-12-31T22:30Z',
      '2027-01-01T00:30+02:00',
      '2027-01-01T01:00+02:00',
    ],
    [
      'opens on a leap day',
      'Europe/Vilnius',
      '01:00-02:00',
      '2028-02-28T22:00Z',
      '2028-02-29T01:00+02:00',
      '2028-02-29T02:00+02:00',
    ],
    // A whole day.
    [
      'of a whole day is open to the minute before',
      'Europe/Vilnius',
      '04:00-04:00',
      '2026-11-24T01:59Z',
      '2026-11-24T03:59+02:00',
      '2026-11-24T04:00+02:00',
      'mon',
    ],
    [
      'of a whole day goes on into the next',
      'Europe/Vilnius',
      '00:00-00:00',
      '2026-11-23T10:00Z',
      '2026-11-23T12:00+02:00',
      '2026-11-25T00:00+02:00',
      'mon tue',
    ],
    // Exceptions.
    [
      'does not open on an excepted date',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-12-24T12:00Z',
      '2026-12-25T22:00+02:00',
      '2026-12-26T04:00+02:00',
      undefined,
      ['2026-12-24'],
    ],
    [
      'that opened the day before goes on into an excepted date',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-12-24T01:00Z',
      '2026-12-24T03:00+02:00',
      '2026-12-24T04:00+02:00',
      undefined,
      ['2026-12-24'],
    ],
    [
      'excepts dates of the local calendar',
      'Pacific/Auckland',
      '01:00-02:00',
      '2026-12-24T11:00Z',
      '2026-12-26T01:00+13:00',
      '2026-12-26T02:00+13:00',
      undefined,
      ['2026-12-25'],
    ],
    // Spring: an hour is missing. Europe/Vilnius goes from 03:00 to 04:00 at 01:00Z.
    [
      'that begins in the missing hour opens when the clock jumps',
      'Europe/Vilnius',
      '03:30-06:00',
      '2026-03-29T00:00Z',
      '2026-03-29T04:00+03:00',
      '2026-03-29T06:00+03:00',
    ],
    [
      'that ends in the missing hour closes when the clock jumps',
      'Europe/Vilnius',
      '01:00-03:30',
      '2026-03-28T23:30Z',
      '2026-03-29T01:30+02:00',
      '2026-03-29T04:00+03:00',
    ],
    [
      'that lies in the missing hour does not open that day',
      'Europe/Vilnius',
      '03:10-03:50',
      '2026-03-29T00:00Z',
      '2026-03-30T03:10+03:00',
      '2026-03-30T03:50+03:00',
    ],
    [
      'around the missing hour is an hour shorter',
      'Europe/Vilnius',
      '01:00-05:00',
      '2026-03-28T23:00Z',
      '2026-03-29T01:00+02:00',
      '2026-03-29T05:00+03:00',
    ],
    [
      'that begins at the jump opens at once',
      'Europe/Vilnius',
      '03:00-05:00',
      '2026-03-28T22:00Z',
      '2026-03-29T04:00+03:00',
      '2026-03-29T05:00+03:00',
    ],
    [
      'of New York jumps on its own date',
      'America/New_York',
      '02:30-04:00',
      '2026-03-08T06:00Z',
      '2026-03-08T03:00-04:00',
      '2026-03-08T04:00-04:00',
    ],
    [
      'of Lord Howe jumps half an hour',
      'Australia/Lord_Howe',
      '02:15-03:00',
      '2026-10-03T12:00Z',
      '2026-10-04T02:30+11:00',
      '2026-10-04T03:00+11:00',
    ],
    [
      'opens at the jump where midnight itself is missing',
      'America/Santiago',
      '00:00-02:00',
      '2026-09-06T03:00Z',
      '2026-09-06T01:00-03:00',
      '2026-09-06T02:00-03:00',
    ],
    [
      'closes at the jump where midnight itself is missing',
      'America/Santiago',
      '22:00-00:00',
      '2026-09-06T03:00Z',
      '2026-09-05T23:00-04:00',
      '2026-09-06T01:00-03:00',
      'sat sun',
    ],
    // Autumn: an hour is there twice. Europe/Vilnius goes from 04:00 back to 03:00 at 01:00Z.
    [
      'that begins in the double hour opens at the first',
      'Europe/Vilnius',
      '03:30-06:00',
      '2026-10-25T00:00Z',
      '2026-10-25T03:30+03:00',
      '2026-10-25T06:00+02:00',
    ],
    [
      'that ends in the double hour closes at the first',
      'Europe/Vilnius',
      '01:00-03:30',
      '2026-10-25T00:00Z',
      '2026-10-25T03:00+03:00',
      '2026-10-25T03:30+03:00',
    ],
    [
      'does not open again in the second of the two hours',
      'Europe/Vilnius',
      '03:10-03:50',
      '2026-10-25T01:10Z',
      '2026-10-26T03:10+02:00',
      '2026-10-26T03:50+02:00',
    ],
    [
      'around the double hour is an hour longer',
      'Europe/Vilnius',
      '01:00-05:00',
      '2026-10-24T22:00Z',
      '2026-10-25T01:00+03:00',
      '2026-10-25T05:00+02:00',
    ],
    [
      'of New York is doubled on its own date',
      'America/New_York',
      '01:30-03:00',
      '2026-11-01T05:00Z',
      '2026-11-01T01:30-04:00',
      '2026-11-01T03:00-05:00',
    ],
    [
      'of Lord Howe is doubled by half an hour',
      'Australia/Lord_Howe',
      '01:45-03:00',
      '2026-04-04T14:00Z',
      '2026-04-05T01:45+11:00',
      '2026-04-05T03:00+10:30',
    ],
    [
      'that crosses midnight into the double hour',
      'Europe/Vilnius',
      '22:00-04:00',
      '2026-10-24T19:00Z',
      '2026-10-24T22:00+03:00',
      '2026-10-25T04:00+02:00',
    ],
    // No daylight saving.
    [
      'of a zone that keeps its clock all year',
      'Asia/Tokyo',
      '02:30-04:00',
      '2026-03-28T17:00Z',
      '2026-03-29T02:30+09:00',
      '2026-03-29T04:00+09:00',
    ],
  ];

  const complete = cases.map(([words, zone, hours, now, opens, closes, days = EVERY_DAY, except = []]) => {
    return [words, zone, hours, now, opens, closes, days, except] as const;
  });

  it.each(complete)('%s (%s, %s, at %s)', (_words, zone, hours, now, opens, closes, days, except) => {
    const found = nextOpening([window(hours, days, ...except)], zone, Date.parse(now));
    expect({ at: shown(found!.at, zone), closesAt: shown(found!.closesAt, zone) }).toEqual({
      at: opens,
      closesAt: closes,
    });
  });

  it('that is none is always open', () => {
    expect(isWindowOpen([], 'Europe/Vilnius', 5, 1e12)).toBe(true);
  });

  it('must hold the work to its end, or the next one is taken', () => {
    const now = Date.parse('2026-11-23T20:30Z'); // half an hour left
    const windows = [window('22:00-23:00')];
    expect(isWindowOpen(windows, 'Europe/Vilnius', now, 0.5 * HOUR)).toBe(true);
    expect(isWindowOpen(windows, 'Europe/Vilnius', now, 0.5 * HOUR + 1)).toBe(false);
    expect(nextOpening(windows, 'Europe/Vilnius', now, HOUR)!.at).toBe(Date.parse('2026-11-24T20:00Z'));
    expect(nextOpening(windows, 'Europe/Vilnius', now, HOUR + 1)).toBeNull();
  });

  it('that touches or overlaps another makes one stretch with it', () => {
    const windows = [window('22:00-00:00', 'mon'), window('00:00-04:00', 'tue'), window('03:00-05:00', 'tue')];
    const now = Date.parse('2026-11-23T21:00Z');
    expect(shown(nextOpening(windows, 'Europe/Vilnius', now, 5 * HOUR)!.closesAt, 'Europe/Vilnius')).toBe(
      '2026-11-24T05:00+02:00',
    );
  });

  it('that is excepted on every day never opens', () => {
    const year = Array.from({ length: 366 }, (_, day) =>
      new Date(Date.UTC(2026, 10, 22 + day)).toISOString().slice(0, 10),
    );
    expect(nextOpening([window('22:00-23:00', 'mon', ...year)], 'UTC', Date.parse('2026-11-23T00:00Z'))).not.toBeNull();
    expect(
      nextOpening([window('22:00-23:00', 'mon', ...year)], 'UTC', Date.parse('2026-11-23T00:00Z'))!.at,
    ).toBeGreaterThan(Date.parse('2027-11-22T00:00Z'));
  });

  it.each(['24:00', '7:00', '12:60', 'noon', ''])('refuses the time %p', (from) => {
    expect(maintenanceWindow.safeParse({ from, to: '04:00' }).success).toBe(false);
  });

  it.each(['Europe/Vilnus', 'UTC+2', '', '../etc'])('refuses the time zone %p', (zone) => {
    expect(timeZone.safeParse(zone).success).toBe(false);
  });
});
