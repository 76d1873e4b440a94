import { printable } from './text.js';
import { isTime } from './times.js';

/* The values of a row, as people read them. */

export type Row = Readonly<Record<string, unknown>>;

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
 * @param timeText writes a time; without it times stay as they are
 */
export function cellOf(value: unknown, timeText?: (time: string) => string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return timeText && isTime(value) ? timeText(value) : printable(value);
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => typeof item === 'string' || typeof item === 'number') && !isTime(value[0]);
    return value.map((item) => cellOf(item, timeText)).join(isPlain ? ' ' : '; ');
  }
  return isRow(value) ? fieldsOf(value, timeText) : printable(JSON.stringify(value));
}

/** The fields of an object that have a value: `mode pin, pin sha256/A`. */
function fieldsOf(row: Row, timeText?: (time: string) => string): string {
  const fields = Object.entries(row).map(([name, value]) => [printable(name), cellOf(value, timeText)] as const);
  return fields.flatMap(([name, text]) => (text === '' ? [] : [`${name} ${text}`])).join(', ');
}

/** Counts by their names: `2 succeeded, 1 failed`; those of nothing are left out. Null: the value has something else. */
export function countsText(value: unknown): string | null {
  if (!isRow(value) || !Object.values(value).every((count) => typeof count === 'number')) return null;
  const counted = Object.entries(value).filter(([, count]) => count !== 0);
  return counted.map(([name, count]) => `${String(count)} ${printable(name.replaceAll('_', ' '))}`).join(', ');
}
