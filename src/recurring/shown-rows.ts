import { type Principal } from '../auth/access/access.js';
import { shownSelector } from '../auth/access/shown-selector.js';
import { type Authors, type HasAuthor } from '../auth/keys/authors.service.js';

interface SelectingRow extends HasAuthor {
  readonly createdBy: string;
  readonly selector: string;
}

/** Rows for a reader: without selectors that the reader may not see, and `orphaned` where the author is disabled or revoked. */
export async function shownRows<Row extends SelectingRow>(
  rows: readonly Row[],
  authors: Pick<Authors, 'orphansOf'>,
  reader: Principal,
) {
  const orphans = await authors.orphansOf(rows);
  return rows.map((row) => ({
    ...row,
    selector: shownSelector(row.selector, row, reader),
    orphaned: orphans.has(row),
  }));
}
