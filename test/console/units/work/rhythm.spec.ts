import { expect, it } from 'vitest';
import { rhythmText } from '../../../../console/src/screens/schedules/rhythm.js';

it.each([
  ['30 2 * * *', 'Every night at 02:30'],
  ['0 18 * * 5', 'Fridays at 18:00'],
  ['5 7 * * 0', 'Sundays at 07:05'],
  ['5 7 * * 7', 'Sundays at 07:05'],
  ['15 4 * * *', 'Every day at 04:15'],
  ['0 3 1 * *', 'The first of each month at 03:00'],
  ['*/5 * * * *', '*/5 * * * *'],
  ['0 18 * * 1-5', '0 18 * * 1-5'],
])('the cron line %s is said as %s', (cron, text) => {
  expect(rhythmText({ cron, timeZone: 'Europe/Vilnius' })).toBe(text);
});

it.each([
  [86_400, 'Every day'],
  [7_200, 'Every 2 hours'],
  [90, 'Every 90 seconds'],
])('%i seconds are said as %s', (everySeconds, text) => {
  expect(rhythmText({ everySeconds })).toBe(text);
});
