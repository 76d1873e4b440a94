import { type EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { cutPage, decodeCursor, type Page, type PageQuery } from './page.js';

const key = z.tuple([z.iso.datetime(), z.uuid()]);

/**
 * One page of rows, newest first.
 * @param list as for `cutPage`
 * @param only columns with the value that they must have; undefined: any
 * @throws AppError `invalid_cursor`
 */
export async function newestFirst<Row extends ObjectLiteral & { readonly id: string; readonly createdAt: Date }>(
  rows: SelectQueryBuilder<Row>,
  list: string,
  { limit, cursor }: PageQuery,
  only: Readonly<Record<string, string | undefined>> = {},
): Promise<Page<Row>> {
  const { alias } = rows;
  for (const [column, value] of Object.entries(only)) {
    if (value !== undefined) rows.andWhere(`${alias}.${column} = :${column}`, { [column]: value });
  }
  if (cursor) {
    const [at, id] = decodeCursor(list, cursor, key);
    rows.andWhere(`(${alias}.created_at, ${alias}.id) < (:at, :id)`, { at, id });
  }
  rows.orderBy(`${alias}.created_at`, 'DESC').addOrderBy(`${alias}.id`, 'DESC');
  const found = await rows.limit(limit + 1).getMany();
  return cutPage(list, found, limit, (row) => [row.createdAt.toISOString(), row.id]);
}

/**
 * As `newestFirst`, for a statement of the caller.
 * @param sql a select with a `where`; it gets the position after the cursor, the order and the limit
 * @param time the column of the time, with the time of a row
 */
export async function newestRows<Row extends { readonly id: string }>(
  db: Pick<EntityManager, 'query'>,
  list: string,
  { limit, cursor }: PageQuery,
  { sql, values, time }: { sql: string; values: readonly unknown[]; time: readonly [string, (row: Row) => Date] },
): Promise<Page<Row>> {
  const [column, timeOf] = time;
  const [at, id] = cursor ? decodeCursor(list, cursor, key) : [null, null];
  const [atParam, idParam, limitParam] = [1, 2, 3].map((next) => `$${values.length + next}`);
  const rows = await db.query<Row[]>(
    `${sql} and (${atParam}::timestamptz is null or (${column}, id) < (${atParam}::timestamptz, ${idParam}::uuid))
      order by ${column} desc, id desc limit ${limitParam}`,
    [...values, at, id, limit + 1],
  );
  return cutPage(list, rows, limit, (row) => [timeOf(row).toISOString(), row.id]);
}
