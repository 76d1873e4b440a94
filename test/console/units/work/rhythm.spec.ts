import { describe, expect, it } from 'vitest';
import { cronOf, usualTimeOf } from '../../../../console/src/screens/schedules/usual-time.js';
import { rhythmText, runTimes } from '../../../../console/src/screens/schedules/rhythm.js';

it.each([
  ['30 2 * * *', 'Every day at 02:30 Europe/Vilnius'],
  ['0 18 * * 5', 'Fridays at 18:00 Europe/Vilnius'],
  ['5 7 * * 0', 'Sundays at 07:05 Europe/Vilnius'],
  ['5 7 * * 7', 'Sundays at 07:05 Europe/Vilnius'],
  ['15 4 * * *', 'Every day at 04:15 Europe/Vilnius'],
  ['0 3 1 * *', 'Each month on the 1st at 03:00 Europe/Vilnius'],
  ['0 3 22 * *', 'Each month on the 22nd at 03:00 Europe/Vilnius'],
  ['0 3 1 * 5', '0 3 1 * 5 Europe/Vilnius'],
  ['61 3 * * *', '61 3 * * * Europe/Vilnius'],
  ['0 3 32 * *', '0 3 32 * * Europe/Vilnius'],
  ['*/5 * * * *', 'Every 5 minutes'],
  ['*/7 * * * *', '*/7 * * * * Europe/Vilnius'],
  ['*/1 * * * *', '*/1 * * * * Europe/Vilnius'],
  ['0 */6 * * *', 'Every 6 hours'],
  ['20 */6 * * *', 'Every 6 hours, at 20 past'],
  ['0 */5 * * *', '0 */5 * * * Europe/Vilnius'],
  ['0 18 * * 1-5', 'Monday to Friday at 18:00 Europe/Vilnius'],
  ['30 2 * * 1,3,5', 'Mondays, Wednesdays and Fridays at 02:30 Europe/Vilnius'],
  ['30 2 * * 6,0', 'Saturdays and Sundays at 02:30 Europe/Vilnius'],
  ['30 2 * * 1-3,5', '30 2 * * 1-3,5 Europe/Vilnius'],
  ['61 18 * * 1-5', '61 18 * * 1-5 Europe/Vilnius'],
  ['0 * * * *', 'Every hour'],
])('the cron line %s is said as %s', (cron, text) => {
  expect(rhythmText({ cron, timeZone: 'Europe/Vilnius' })).toBe(text);
});

describe('the time of a run', () => {
  it('is that of the schedule, then that of the reader', () => {
    expect(runTimes('2026-11-29T00:30:00Z', 'Europe/Vilnius', 'UTC')).toEqual({
      own: 'Sun 29 Nov, 02:30',
      reader: '00:30 your time',
    });
    expect(runTimes('2026-11-28T23:30:00Z', 'Europe/Vilnius', 'UTC').reader).toBe('Sat 28 Nov, 23:30 your time');
  });

  it('is said once where both clocks show the same', () => {
    expect(runTimes('2026-11-29T00:30:00Z', 'Europe/Riga', 'Europe/Vilnius')).toEqual({
      own: 'Sun 29 Nov, 02:30',
      reader: null,
    });
    expect(runTimes('2026-11-29T00:30:00Z', null, 'UTC').own).toBe('Sun 29 Nov, 00:30');
  });
});

it.each([
  [86_400, 'Every day'],
  [7_200, 'Every 2 hours'],
  [90, 'Every 90 seconds'],
])('%i seconds are said as %s', (everySeconds, text) => {
  expect(rhythmText({ everySeconds })).toBe(text);
});

it.each(['0 * * * *', '15 4 * * *', '0 18 * * 5', '0 3 31 * *'])(
  'the usual time %s is read and written again as it is',
  (cron) => {
    expect(cronOf(usualTimeOf(cron)!)).toBe(cron);
  },
);
