import { z } from 'zod';
import { AppError } from '../platform/errors.js';

/*
 * Keyset pages: a cursor holds the sort key of the last row. A page costs the same at any depth, and rows inserted or
 * deleted between pages neither repeat nor hide others. The cursor names its list: the sort keys of two lists look
 * alike, and another list's key would start at a wrong position.
 */

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** The key of a device may be 120 characters of four bytes, or of two characters in JSON. */
const CURSOR_LENGTH_MAX = 1_200;

/** The query parameters that every list takes. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Rows per page'),
  cursor: z.string().max(CURSOR_LENGTH_MAX).optional().describe('`next` of the previous page; opaque'),
});

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface Page<Row> {
  readonly items: Row[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** The schema of a page of `item`. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}

function encodeCursor(list: string, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

/**
 * Unpacks a cursor.
 * @param list the name given to `cutPage`; the cursor of another list is refused
 * @param schema the form of its parts, so that a made-up cursor is a 400 and never reaches the database
 * @throws AppError `invalid_cursor`
 */
export function decodeCursor<Key>(list: string, cursor: string, schema: z.ZodType<Key>): Key {
  try {
    const [of, ...key] = z.array(z.unknown()).parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    z.literal(list).parse(of);
    return schema.parse(key);
  } catch (cause) {
    throw new AppError('invalid_cursor', {}, { cause });
  }
}

/**
 * Makes a page of rows that were queried with `limit` + 1.
 * @param list the name of the list, with the id of its parent
 * @param keyOf the sort key of a row, in the order of the query
 */
export function cutPage<Row>(
  list: string,
  rows: Row[],
  limit: number,
  keyOf: (row: Row) => readonly string[],
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last ? encodeCursor(list, keyOf(last)) : null };
}
