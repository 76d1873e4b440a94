import { isDeepStrictEqual } from 'node:util';

/**
 * Whether an answer contains what is wanted: every field that `wanted` names, with that value. Other fields do not
 * matter; a list must have, for each wanted item, one that matches. Pure.
 */
export function matches(answer: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(answer) && wanted.every((item) => answer.some((found) => matches(found, item)));
  }
  if (typeof wanted !== 'object' || wanted === null) return isDeepStrictEqual(answer, wanted);
  if (typeof answer !== 'object' || answer === null) return false;
  return Object.entries(wanted).every(
    ([name, inner]) => Object.hasOwn(answer, name) && matches((answer as Record<string, unknown>)[name], inner),
  );
}
