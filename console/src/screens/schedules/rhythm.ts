import { countText } from '../../api/amount-text.js';

/* When a schedule runs, in words. */

/** As the API has it. */
type Rhythm = { readonly cron: string; readonly timeZone: string } | { readonly everySeconds: number };

export const PRESETS = [
  ['30 2 * * *', 'Every night at 02:30'],
  ['30 2 * * 0', 'Sundays at 02:30'],
  ['0 3 1 * *', 'The first of each month at 03:00'],
  ['0 * * * *', 'Every hour'],
] as const;

const LENGTHS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A minute and an hour of each day, or of one day of the week. */
const AT_A_TIME = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7])$/;
const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'] as const;

/** `Every night at 02:30`, `Fridays at 18:00`, or the cron line itself. */
export function rhythmText(rhythm: Rhythm): string {
  if ('cron' in rhythm) return PRESETS.find(([cron]) => cron === rhythm.cron)?.[1] ?? cronText(rhythm.cron);
  const { everySeconds } = rhythm;
  const [unit, size] = LENGTHS.find(([, length]) => everySeconds % length === 0) ?? ['second', 1];
  return everySeconds === size ? `Every ${unit}` : `Every ${countText(everySeconds / size, unit)}`;
}

function cronText(cron: string): string {
  const [, minute, hour, day] = AT_A_TIME.exec(cron) ?? [];
  if (minute === undefined || hour === undefined) return cron;
  const when = day === '*' ? 'Every day' : DAYS[Number(day)];
  return `${when} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

/** In whose time zone; null: it has none, because it counts from its last run. */
export const zoneOf = (rhythm: Rhythm): string | null => ('cron' in rhythm ? rhythm.timeZone : null);
