import { countText, numberText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';

/* What a role allows of a permission, by its rules. Pure. */

export type Rule = components['schemas']['SaveRole']['rules'][number];

/** Everywhere; on some devices or paths; nowhere. */
export type Extent = 'all' | 'some' | 'none';

/** A rule that denies has priority over all that allow; one with a selector or paths is about a part. */
export function extentOf(rules: readonly Rule[], permission: string): Extent {
  const own = rules.filter(({ permissions }) => permissions.some((pattern) => isOf(pattern, permission)));
  const allowing = own.filter(({ effect }) => effect === 'allow');
  const denying = own.filter(({ effect }) => effect === 'deny');
  if (allowing.length === 0 || denying.some(isWhole)) return 'none';
  return allowing.some(isWhole) && denying.length === 0 ? 'all' : 'some';
}

/** How much rules allow: `3 of 48 permissions`. */
export const grantsCount = (rules: readonly Rule[], permissions: readonly string[]): string =>
  `${numberText(permissions.filter((permission) => extentOf(rules, permission) !== 'none').length)} of ${countText(permissions.length, 'permission')}`;

/** How much rules allow, in a sentence: `Allows 3 of 48 permissions, 2 of them on some devices or paths only.` */
export function grantsText(rules: readonly Rule[], permissions: readonly string[]): string {
  const extents = permissions.map((permission) => extentOf(rules, permission)).filter((extent) => extent !== 'none');
  const partly = extents.filter((extent) => extent === 'some').length;
  const where =
    partly === 0
      ? ''
      : `, ${partly === extents.length ? '' : `${numberText(partly)} of them `}on some devices or paths only`;
  return `Allows ${grantsCount(rules, permissions)}${where}.`;
}

const isWhole = ({ selector, devices }: Rule): boolean => selector === null && devices === null;

/** `job.start` is of `job.start`, `job.*` and `*`. */
const isOf = (pattern: string, permission: string): boolean =>
  pattern === '*' || pattern === permission || (pattern.endsWith('.*') && permission.startsWith(pattern.slice(0, -1)));
