import { type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
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
