import { type Schema } from '../../api/client.js';

/* When a schedule runs, in words. */

export const PRESETS = [
  ['30 2 * * *', 'Every night at 02:30'],
  ['30 2 * * 0', 'Sundays at 02:30'],
  ['0 3 1 * *', 'The first of each month at 03:00'],
  ['0 * * * *', 'Every hour'],
] as const;

const LENGTHS = [
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const;

/** `Every night at 02:30`, or the cron line itself. */
export function rhythmText(rhythm: Schema<'Schedule'>['rhythm']): string {
  if ('cron' in rhythm) return PRESETS.find(([cron]) => cron === rhythm.cron)?.[1] ?? rhythm.cron;
  const { everySeconds } = rhythm;
  const [unit, size] = LENGTHS.find(([, length]) => everySeconds % length === 0) ?? ['seconds', 1];
  return `Every ${everySeconds / size} ${unit}`;
}

/** In whose time zone; null: it has none, because it counts from its last run. */
export const zoneOf = (rhythm: Schema<'Schedule'>['rhythm']): string | null =>
  'cron' in rhythm ? rhythm.timeZone : null;
