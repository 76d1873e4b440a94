import { firmwareVersion } from '../device-api/firmware-version.js';
import { type MatchedDevice } from './matched-device.js';
import { type Order, type Selector } from './selector.js';

/* Matches one device in memory, for rights in the hot path. Pure. */

/** Gives the same result as `selectorSql`; a test compares the two. */
export function matchesSelector(selector: Selector, device: MatchedDevice, now: Date): boolean {
  switch (selector.is) {
    case 'saved':
      throw new Error(`The saved selector ${selector.name} was not expanded`);
    case 'record':
    case 'measure':
      throw new Error(`A right cannot depend on ${selector.name}`);
    case 'all':
      return true;
    case 'and':
      return selector.of.every((part) => matchesSelector(part, device, now));
    case 'or':
      return selector.of.some((part) => matchesSelector(part, device, now));
    case 'not':
      return !matchesSelector(selector.of, device, now);
    case 'text':
      return matchesText(selector, device);
    case 'field': {
      const { key, pattern, exact } = selector;
      const value = Object.hasOwn(device.fields, key) ? String(device.fields[key]) : null;
      return value !== null && isLike(value.toLowerCase(), pattern.toLowerCase(), exact);
    }
    case 'version': {
      const version = device.firmware === null ? null : firmwareVersion(device.firmware);
      return version !== null && IN_ORDER[selector.order](compareParts(version.parts, selector.than));
    }
    case 'seen':
      return (
        device.seenAt !== null && IN_ORDER[selector.order](now.getTime() - device.seenAt.getTime() - selector.ageMs)
      );
  }
}

function matchesText({ field, pattern, exact }: Extract<Selector, { is: 'text' }>, device: MatchedDevice): boolean {
  if (field === 'tag') return device.tags.some((tag) => isLike(tag, pattern, exact));
  const value = field === 'operator' ? device.networkOperator : device[field];
  return value !== null && isLike(value.toLowerCase(), pattern.toLowerCase(), exact);
}

/** Matches * as any text without backtracking, in linear time for any pattern. */
function isLike(value: string, pattern: string, exact: boolean): boolean {
  const pieces = pattern.split('*');
  if (exact || pieces.length === 1) return value === pattern;
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  let from = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return from <= value.length - last.length;
}

/** Compares as Postgres does arrays: part by part, the shorter one first. */
function compareParts(one: readonly number[], other: readonly number[]): number {
  for (let index = 0; index < Math.min(one.length, other.length); index++) {
    if (one[index] !== other[index]) return one[index]! - other[index]!;
  }
  return one.length - other.length;
}

const IN_ORDER: Readonly<Record<Order, (difference: number) => boolean>> = {
  '<': (difference) => difference < 0,
  '<=': (difference) => difference <= 0,
  '>': (difference) => difference > 0,
  '>=': (difference) => difference >= 0,
};
