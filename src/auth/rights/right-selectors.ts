import { type CompiledSelector, type ScopedDevice } from './rights.js';
import { AppError } from '../../platform/errors.js';
import { type MatchedDevice } from '../../selectors/matched-device.js';
import { matchesSelector } from '../../selectors/selector-match.js';
import { parseSelector, type Selector } from '../../selectors/selector.js';
import { namesDevices, termsOf } from '../../selectors/selector-expansion.js';
import { selectorSql } from '../../selectors/selector-sql.js';

/** No term of such a selector depends on the time. */
const NO_TIME = new Date(0);

/** No term of such a selector is measured. */
const NO_MEASURES = { scope: () => () => 'false' };

const NOT_IN_RIGHTS: Readonly<Record<string, string>> = {
  credentials: 'whether a login is stored',
  backup: 'its backups',
  job: 'its jobs',
  lock: 'locks',
  observed: 'what watches read',
  'observed.changed': 'what watches read',
  certificate: 'the certificate that a device shows',
};

/**
 * Parses a selector of a right or a lock. It may name no saved selector, since changing that would change the right. It
 * may not use `seen`, a record or a measured value, since a right must not depend on a device's last answer or its login.
 * @param isStored a right or lock in force, whose values may be of an earlier version
 * @throws AppError `invalid_selector`
 */
export function readRightSelector(text: string, isStored = false): CompiledSelector {
  const tree = parseSelector(text, isStored);
  refuseUnsupported(tree);
  return {
    text,
    // Callers pass complete rows.
    matches: (device: ScopedDevice) => matchesSelector(tree, device as MatchedDevice, NO_TIME),
    sql: (values, now) => selectorSql(tree, values, now, NO_MEASURES),
    namesDevices: () => namesDevices(tree),
    namesField: (key) => termsOf(tree).some((term) => term.is === 'field' && term.key === key),
  };
}

function refuseUnsupported(tree: Selector): void {
  switch (tree.is) {
    case 'saved':
      throw new AppError('invalid_selector', {
        position: tree.at,
        expected: 'the selector itself: a right cannot name a saved one',
        near: `@${tree.name}`,
      });
    case 'seen':
      throw new AppError('invalid_selector', {
        position: 0,
        expected: 'no `seen`: a right cannot depend on when a device last answered',
      });
    case 'record':
    case 'measure':
      throw new AppError('invalid_selector', {
        position: tree.at,
        expected: `no \`${tree.name}\`: a right cannot depend on ${NOT_IN_RIGHTS[tree.name] ?? 'what was measured on a device'}`,
      });
    case 'not':
      return refuseUnsupported(tree.of);
    case 'and':
    case 'or':
      return tree.of.forEach(refuseUnsupported);
    default:
  }
}
