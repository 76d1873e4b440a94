import { countText } from '../../api/amount-text.js';
import { rareWords, usualTimeOf, usualWords } from './usual-time.js';

/* When a schedule runs, in words. */

/** As the API has it. */
type Rhythm = { readonly cron: string; readonly timeZone: string } | { readonly everySeconds: number };

/** A clock time, or a cron line. */
const HAS_HOUR = /\d:\d|\*/;

const LENGTHS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `Every day at 02:30 Europe/Vilnius`, or the cron line itself with its time zone: an hour says of which zone it is. */
export function rhythmText(rhythm: Rhythm): string {
  const text = rhythmWords(rhythm);
  return 'cron' in rhythm && HAS_HOUR.test(text) ? `${text} ${rhythm.timeZone}` : text;
}

/** Without the time zone, for where that stands below. */
export function rhythmWords(rhythm: Rhythm): string {
  if ('cron' in rhythm) {
    const usual = usualTimeOf(rhythm.cron);
    return usual ? usualWords(usual) : (rareWords(rhythm.cron) ?? rhythm.cron);
  }
  const { everySeconds } = rhythm;
  const [unit, size] = LENGTHS.find(([, length]) => everySeconds % length === 0) ?? ['second', 1];
  return everySeconds === size ? `Every ${unit}` : `Every ${countText(everySeconds / size, unit)}`;
}

/** In whose time zone; null: it has none, because it counts from its last run. */
export const zoneOf = (rhythm: Rhythm): string | null => ('cron' in rhythm ? rhythm.timeZone : null);

/** A moment as the schedule has it, and as the reader's clock shows it. */
export interface RunTimes {
  /** `Sun 29 Nov, 02:30`. */
  readonly own: string;
  /** `00:30 your time`; with the day where it is another one; null: both clocks show the same. */
  readonly reader: string | null;
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;

/** The schedule's own time first, the reader's second. The zone of the schedule stands below its rhythm. @param zone null: the rhythm has none */
export function runTimes(at: string, zone: string | null, readerZone: string): RunTimes {
  const textIn = (timeZone: string, form: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...form, timeZone }).format(new Date(at));
  const whole = { ...DAY, ...CLOCK };
  const readerDay = textIn(readerZone, DAY);
  if (zone === null || textIn(zone, whole) === textIn(readerZone, whole))
    return { own: textIn(readerZone, whole), reader: null };
  const isSameDay = textIn(zone, DAY) === readerDay;
  const form = isSameDay ? CLOCK : whole;
  return { own: textIn(zone, whole), reader: `${textIn(readerZone, form)} your time` };
}
