import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { oneSpelling, timeZone } from './time-zone.js';

/*
 * When a schedule runs: cron in a time zone, or every so many seconds. Pure.
 *
 * Daylight saving: a run in a skipped hour runs after the clock has jumped; a run in a repeated hour runs in the first
 * of the two (test/platform/rhythm.spec.ts).
 */

const cron = z
  .string()
  .max(120)
  .refine(isCron, 'must be five fields of cron, such as `30 2 * * 1-5` (minute, hour, day, month, weekday)')
  .describe('Minute, hour, day of the month, month, day of the week')
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
    return startedAt + (Math.floor(Math.max(0, after - startedAt) / everyMs) + 1) * everyMs;
  }
  return cronOf(of, after).next().getTime();
}

function cronOf({ cron: line, timeZone: zone }: { cron: string; timeZone: string }, after: number) {
  return CronExpressionParser.parse(line, { tz: oneSpelling(zone), currentDate: new Date(after) });
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

/** Whether the text is valid and has a next run: the 31st of February has none. */
function isCron(text: string): boolean {
  if (text.trim().split(/\s+/).length !== 5) return false;
  try {
    CronExpressionParser.parse(text, { tz: 'UTC', currentDate: new Date(0) }).next();
    return true;
  } catch {
    return false;
  }
}
