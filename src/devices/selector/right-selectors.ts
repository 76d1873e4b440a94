import { type CompiledSelector, type ScopedDevice } from '../../auth/rights/rights.js';
import { AppError } from '../../platform/errors.js';
import { type Device } from '../registry/device.entity.js';
import { matchesSelector } from './selector-match.js';
import { parseSelector, type Selector } from './selector.js';
import { selectorSql } from './selector-sql.js';

/** No term of such a selector goes by the clock. */
const NO_TIME = new Date(0);

/**
 * Reads a selector of a right or a lock. Not every selector can be one: whoever may change a saved selector could widen
 * rights that name it, and a right that comes and goes with the last sign of life of a device is none.
 * @throws AppError `invalid_selector`
 */
export function readRightSelector(text: string): CompiledSelector {
  const tree = parseSelector(text);
  refuseUnfit(tree);
  return {
    text,
    // What rights call a device is always the row of one.
    matches: (device: ScopedDevice) => matchesSelector(tree, device as Device, NO_TIME),
    sql: (values, now) => selectorSql(tree, values, now),
  };
}

function refuseUnfit(tree: Selector): void {
  switch (tree.is) {
    case 'saved':
      throw new AppError('invalid_selector', {
        position: tree.at,
        expected: 'the selector itself: a right does not name a saved one',
        near: `@${tree.name}`,
      });
    case 'seen':
      throw new AppError('invalid_selector', {
        position: 0,
        expected: 'no `seen`: a right does not depend on when a device was last heard of',
      });
    case 'not':
      return refuseUnfit(tree.of);
    case 'and':
    case 'or':
      return tree.of.forEach(refuseUnfit);
    default:
  }
}
