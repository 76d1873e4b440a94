import { numberText, signedText } from '../../../api/amount-text.js';

/* A selector of one term in words, as rules of alerts mostly have it. Pure. */

/** @param state the word of a state, such as `Offline` */
type Words = (parts: readonly string[], state: (name: string) => string) => string;

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week' };

const lengthText = (count: string, unit: string): string =>
  `${numberText(Number(count))} ${UNITS[unit] ?? unit}${count === '1' ? '' : 's'}`;

const TERMS: readonly (readonly [RegExp, Words])[] = [
  [/^all$/, () => 'All'],
  [/^state[:=](\w+)$/, ([name], state) => state(name!)],
  [/^certificate<=?(\d+)([smhdw])$/, ([count, unit]) => `Certificate ends within ${lengthText(count!, unit!)}`],
  [/^backup>=?(\d+)([smhdw])$/, ([count, unit]) => `Newest backup older than ${lengthText(count!, unit!)}`],
  [/^backup:none$/, () => 'No backup'],
  [/^sample>=?(\d+)([smhdw])$/, ([count, unit]) => `No sample for ${lengthText(count!, unit!)}`],
  [/^data\.plan>=?(\d+)$/, ([share]) => `Data plan used above ${share} %`],
  [/^temperature>=?(-?\d+)$/, ([degrees]) => `Hotter than ${degrees} °C`],
  [/^rsrp<=?(-?\d+)$/, ([level]) => `Signal (RSRP) below ${signedText(Number(level))} dBm`],
  [
    /^observed\.changed<=?(\d+)([smhdw])$/,
    ([count, unit]) => `Configuration changed within ${lengthText(count!, unit!)}`,
  ],
];

/** @returns null: it has more than such a term, and stands as it is written */
export function selectorWords(selector: string, state: (name: string) => string): string | null {
  for (const [pattern, words] of TERMS) {
    const found = pattern.exec(selector.trim());
    if (found) return words(found.slice(1), state);
  }
  return null;
}
