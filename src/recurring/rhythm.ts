import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { cronProblem } from './cron.js';
import { oneSpelling, timeZone } from '../platform/time-zone.js';

/*
 * When a schedule runs: cron in a time zone, or every so many seconds. Pure.
 *
 * Daylight saving: a run in a skipped hour runs after the clock has jumped; a run in a repeated hour runs in the first
 * of the two (test/platform/rhythm.spec.ts).
 */

export const cron = z
  .string()
  .max(120)
  .superRefine(checkCron)
  .describe(
    'Minute, hour, day of the month, month, day of the week: each `*`, a number, a range, a step such as `*/15` or `8-18/2`, ' +
      'or a list of them; names `jan` to `dec` and `sun` to `sat`. With both days given, one of them is enough',
  )
  .meta({ examples: ['30 2 * * 1-5'] });

export const rhythm = z
  .union([
    z.strictObject({ cron, timeZone: timeZone.default('UTC') }),
    z.strictObject({ everySeconds: z.int().min(60).max(31_622_400) }),
  ])
  .meta({ id: 'Rhythm' });
export type Rhythm = z.output<typeof rhythm>;

/**
 * The first run after an instant.
 * @param after milliseconds since 1970
 * @param startedAt when the schedule was made: `everySeconds` is counted from there, so that late runs do not shift it
 */
export function nextRun(of: Rhythm, after: number, startedAt: number): number {
  if ('everySeconds' in of) {
    const everyMs = of.everySeconds * 1_000;
    return startedAt + (Math.floor((after - startedAt) / everyMs) + 1) * everyMs;
  }
  return cronOf(of, after).next().getTime();
}

function cronOf({ cron: line, timeZone: zone }: { cron: string; timeZone: string }, after: number) {
  // An earlier version stored `H`, which means another time at each reading without a seed.
  return CronExpressionParser.parse(line, { tz: oneSpelling(zone), currentDate: new Date(after), hashSeed: line });
}

/** The next `count` runs, so that people can check a schedule. */
export function nextRuns(of: Rhythm, after: number, startedAt: number, count: number): number[] {
  if ('everySeconds' in of) {
    const first = nextRun(of, after, startedAt);
    return Array.from({ length: count }, (_, at) => first + at * of.everySeconds * 1_000);
  }
  return cronOf(of, after)
    .take(count)
    .map((run) => run.getTime());
}

/** Names the field that is wrong. A line without any run is refused, too: the 31st of February. */
function checkCron(text: string, context: z.RefinementCtx): void {
  const problem = cronProblem(text) ?? (hasRun(text) ? null : 'there is no such day in any year');
  if (problem !== null)
    context.addIssue({ code: 'custom', message: `must be five fields of cron, such as \`30 2 * * 1-5\`: ${problem}` });
}

function hasRun(text: string): boolean {
  try {
    CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date(0) }).next();
    return true;
  } catch {
    return false;
  }
}
