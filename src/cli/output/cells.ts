import { printable } from './text.js';

/* The values of a row, as people read them. */

export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/;
const MINUTE_MS = 60_000;
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [24 * 60 * MINUTE_MS, 'd'],
  [60 * MINUTE_MS, 'h'],
  [MINUTE_MS, 'min'],
  [1_000, 's'],
];

/** The value at a dotted path, such as `trust.mode`; undefined where there is none. */
export function valueAt(row: unknown, path: string): unknown {
  let value = row;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Row)[name];
  }
  return value;
}

/**
 * A value as text.
 * @param now milliseconds since 1970; a time is then said by its distance, such as `3 h ago`
 */
export function cellOf(value: unknown, now: number | null = null): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string')
    return now !== null && TIME.test(value) ? distance(Date.parse(value), now) : printable(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')) {
    return printable(value.join(' '));
  }
  if (Array.isArray(value)) return value.map((item) => cellOf(item)).join('; ');
  return isRow(value) ? fieldsOf(value) : printable(JSON.stringify(value));
}

/** The fields of an object that have a value: `mode pin, pin sha256/A`. */
function fieldsOf(row: Row): string {
  const fields = Object.entries(row).map(([name, value]) => [printable(name), cellOf(value)] as const);
  return fields.flatMap(([name, text]) => (text === '' ? [] : [`${name} ${text}`])).join(', ');
}

/** A time on the clock of this terminal, and its distance: `2026-11-26 16:04:05 (3 h ago)`; null: the value is no time. */
export function localTimeOf(value: unknown, now: number): string | null {
  if (typeof value !== 'string' || !TIME.test(value)) return null;
  const at = Date.parse(value);
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE_MS).toISOString();
  return `${local.slice(0, 10)} ${local.slice(11, 19)} (${distance(at, now)})`;
}

function distance(at: number, now: number): string {
  const ms = Math.abs(now - at);
  const [size, name] = UNITS.find(([unit]) => ms >= unit) ?? UNITS.at(-1)!;
  const text = `${Math.floor(ms / size)} ${name}`;
  return at > now ? `in ${text}` : `${text} ago`;
}
