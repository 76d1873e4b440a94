import { isRow, type Row } from './cells.js';

/* Lists in answers. */

/** The rows of an answer that is a list: an array, or an object with `items`. What has an id is one thing, such as a template. */
export function rowsIn(value: unknown): AsyncIterable<Row> | null {
  if (isRow(value) && 'id' in value) return null;
  const items = isRow(value) ? value['items'] : value;
  return Array.isArray(items) ? each(items) : null;
}

/** The columns of a table that has none of its own: the scalar fields of its first row. */
export function scalarColumns(row: Row): string[] {
  return Object.entries(row)
    .filter(([, value]) => typeof value !== 'object')
    .map(([name]) => name);
}

/** Values as rows. */
export async function* each(items: readonly unknown[]): AsyncGenerator<Row> {
  for (const item of items) yield isRow(item) ? item : { value: item };
}
