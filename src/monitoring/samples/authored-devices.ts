import { type Authors, type HasAuthor } from '../../auth/keys/authors.service.js';
import { type SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { AppError } from '../../platform/errors.js';
import { selectorSql } from '../../selectors/selector-sql.js';
import { noMeasure, readLimitedSelector } from './limited-selector.js';

interface Readers {
  readonly authors: Pick<Authors, 'rightsOf'>;
  readonly selectors: Pick<SavedSelectorsService, 'read'>;
}

/**
 * The devices that a policy or a watch names now, of those that its author may see and call at any path.
 * @returns a condition on table `device`; its values are added only when it has one
 * @throws AppError `author_gone`, `invalid_selector`
 */
export async function authoredDevicesSql(
  { authors, selectors }: Readers,
  row: HasAuthor & { readonly selector: string },
  values: unknown[],
  now: Date,
): Promise<string> {
  const rights = await authors.rightsOf(row);
  if (!rights) throw new AppError('author_gone');
  const tree = await readLimitedSelector(selectors, row.selector, rights, noMeasure);
  const before = values.length;
  try {
    const chosen = selectorSql(tree, values, now, rights);
    const seen = (['device.read', 'device.call_read'] as const).map((action) => rights.sql(action, values, now));
    return [chosen, ...seen].join(' and ');
  } catch (error) {
    values.length = before;
    throw error;
  }
}
