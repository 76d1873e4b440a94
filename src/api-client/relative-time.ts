/* How long ago, or in how long, something is. Pure. */

const RELATIVE = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' });

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Units as durations have them. */
const SYMBOLS: Readonly<Record<string, string>> = { 'hr.': 'h', 'min.': 'min', 'sec.': 's' };
const ABBREVIATED = /hr\.|min\.|sec\./;

/** Below it days are too coarse: 43 hours are nearly two. */
const DAYS_FROM_MS = 2 * 86_400_000;

/** Below it the minutes count: 1 h 59 min are nearly two hours. */
const WITH_MINUTES_BELOW_MS = 6 * 3_600_000;

/** A time to come, to the minute or hour: what was set to end in 8 h a moment ago ends “in 8 h”, not “in 7 h”. */
function rounded(ms: number): number {
  const unit = ms < 60_000 ? 1 : ms < WITH_MINUTES_BELOW_MS ? 60_000 : 3_600_000;
  return Math.round(ms / unit) * unit;
}

/** `3 min ago`, `5 s ago`, `in 1 h 59 min`, `in 7 h`, `in 43 h`, `in 3 days`, `now`. @param ms from now; negative for the past */
export function relativeText(ms: number): string {
  const shown = ms > 0 ? rounded(ms) : ms;
  const [unit, size] =
    UNITS.find(([one, least]) => Math.abs(shown) >= (one === 'day' ? DAYS_FROM_MS : least)) ?? UNITS[3];
  const count = Math.trunc(shown / size);
  if (count === 0) return 'now';
  const text = RELATIVE.format(count, unit).replace(ABBREVIATED, (word) => SYMBOLS[word]!);
  const minutes = Math.trunc((shown % 3_600_000) / 60_000);
  return unit === 'hour' && shown < WITH_MINUTES_BELOW_MS && minutes > 0 ? `${text} ${minutes} min` : text;
}
