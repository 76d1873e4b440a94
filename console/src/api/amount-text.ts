/* Measured values, sizes and counts as texts. */

/** Null where there is none. */
export const amountText = (value: number | null | undefined, unit: string): string | null =>
  value === null || value === undefined ? null : `${signedText(value, 0)} ${unit}`;

/** A number with a minus (a hyphen is narrower than the digits). */
export const signedText = (value: number, digits = 1): string =>
  value.toLocaleString('en', { maximumFractionDigits: digits }).replace('-', '−');

const NUMBERS = new Intl.NumberFormat('en');
const PLURALS = new Intl.PluralRules('en');

/** `5,000`. */
export const numberText = (value: number): string => NUMBERS.format(value);

/** The noun or verb alone that goes with a count: `is` of 1, `are` of 2. */
export const pluralText = (count: number, one: string, many = `${one}s`): string =>
  PLURALS.select(count) === 'one' ? one : many;

/** `1 device`, `5,000 devices`. @param many where it is not `one` with an s */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${pluralText(count, one, many)}`;

/** As {@link countText}, of what is counted up to a maximum only: `more than 9 jobs`. */
export const countUpToText = (count: number, max: number, one: string): string =>
  count > max ? `more than ${countText(max, one)}` : countText(count, one);

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in its largest decimal unit, such as `1.6 MB`. */
export function bytesText(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}
