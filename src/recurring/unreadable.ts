import { type Authors, type HasAuthor } from '../auth/keys/authors.service.js';
import { type Rights } from '../auth/rights/rights.js';
import { AppError } from '../platform/errors.js';

/** A result, or null where a stored selector cannot be read any more. */
export async function nullWithoutSelector<Result>(result: Promise<Result>): Promise<Result | null> {
  return result.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'invalid_selector') return null;
    throw error;
  });
}

/**
 * The rows whose selector their author can no longer read: a saved one in it was removed, or is out of their sight. They reach no
 * device, and their list says so. Rows of an author who is gone are not among them: `orphaned` says that.
 * @param read the selector of a row with the present rights of its author
 */
export async function unreadableOf<Row extends HasAuthor>(
  rows: readonly Row[],
  authors: Pick<Authors, 'rightsOf'>,
  read: (row: Row, rights: Rights) => Promise<object | string>,
): Promise<ReadonlySet<Row>> {
  const unreadable = new Set<Row>();
  const rightsOf = new Map<string, Rights | null>(); // many rows are of few authors
  for (const row of rows) {
    const author = `${row.operatorId} ${row.createdBy}`;
    if (!rightsOf.has(author)) rightsOf.set(author, await authors.rightsOf(row));
    const rights = rightsOf.get(author);
    if (rights && (await nullWithoutSelector(read(row, rights))) === null) unreadable.add(row);
  }
  return unreadable;
}
