import { CronExpressionParser } from 'cron-parser';
import { expect, it } from 'vitest';
import { cronProblem } from '../../src/recurring/cron.js';

const runsOf = (line: string) =>
  CronExpressionParser.parse(line, { tz: 'UTC', currentDate: new Date('2026-11-21T00:00Z') })
    .take(50)
    .map((run) => run.getTime());

it.each([
  '* * * * *',
  '30 2 * * *',
  '05 02 * * *',
  '0,15,30,45 * * * *',
  '*/15 8-18/2 * * 1-5',
  '0 0 1-7,15 1,jul *',
  '0 3 1 * MON',
  '0 3 * * 0-7',
  '0 3 29 2 *',
  ' 30\t2  * * * ',
  '59 23 31 12 7',
])('%j is one that every program reads alike', (line) => {
  expect(cronProblem(line)).toBeNull();
  expect(runsOf(line)).toEqual(runsOf(line));
});

it.each([
  ['', 'five fields are needed, and 0 given'],
  ['* * * *', 'and 4 given'],
  ['0 30 2 * * *', 'and 6 given'],
  ['@daily', 'and 1 given'],
  ['@reboot * * * *', 'field 1 (minute): "@reboot"'],
  ['0, 30 * * * *', 'and 6 given'],
  ['H 2 * * *', 'field 1 (minute): "H"'],
  ['0 H * * *', 'field 2 (hour): "H"'],
  ['H/15 * * * *', 'field 1 (minute): "H/15"'],
  ['H(0-29) * * * *', 'field 1 (minute)'],
  ['0 0 L * *', 'field 3 (day of the month): "L"'],
  ['0 0 * * 5L', 'field 5 (day of the week): "5L"'],
  ['0 0 15W * *', 'field 3 (day of the month): "15W"'],
  ['0 0 * * MON#2', 'field 5 (day of the week): "MON#2"'],
  ['0 0 ? * 1', 'field 3 (day of the month): "?"'],
  ['0 22-2 * * *', 'field 2 (hour): "22-2" goes backwards: write two ranges, as in 22-23,0-2'],
  ['0 0 * * sat-mon', 'goes backwards'],
  ['0 0 * nov-feb *', 'goes backwards'],
  ['*/0 * * * *', 'a step that is 0'],
  ['*/90 * * * *', 'beyond its range'],
  ['1-5/10 * * * *', 'beyond its range'],
  ['5/15 * * * *', 'has a step without a range: 5-59/15?'],
  ['60 * * * *', 'none of *, 0 to 59'],
  ['0 24 * * *', 'none of *, 0 to 23'],
  ['0 0 0 * *', 'none of *, 1 to 31'],
  ['0 0 1 13 *', 'none of *, 1 to 12'],
  ['0 0 * * 8', 'none of *, 0 to 7'],
  ['0 0 * monday *', 'field 4 (month): "monday"'],
  ['0 0 * * monday', 'field 5 (day of the week): "monday"'],
  ['0 0 mon * *', 'field 3 (day of the month): "mon"'],
  ['0 0 * * 0,7', '0 is given twice'],
  ['1,1 * * * *', '1 is given twice'],
  ['1-5,3 * * * *', '3 is given twice'],
  ['*,5 * * * *', 'given twice'],
  ['*-5 * * * *', 'field 1'],
  ['1,,2 * * * *', 'field 1'],
  ['1-2-3 * * * *', 'field 1'],
  ['-1 * * * *', 'field 1'],
  ['+1 * * * *', 'field 1'],
  ['1.5 * * * *', 'field 1'],
  ['1e1 * * * *', 'field 1'],
  ['0x5 * * * *', 'field 1'],
  ['007 * * * *', 'field 1'],
  ['１ * * * *', 'field 1'],
  ['~ * * * *', 'field 1'],
  ['0 0 */2 * 1', 'fields 3 and 5'],
  ['0 0 1 * */2', 'fields 3 and 5'],
  [`${'1,'.repeat(200)}1 * * * *`, 'longer than'],
])('%j is refused', (line, problem) => {
  expect(cronProblem(line)).toContain(problem);
});
