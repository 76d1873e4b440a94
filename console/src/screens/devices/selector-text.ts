/* Selectors as texts, as far as clicks change them (docs/reference/selectors.md). */

/** A value as a selector takes it: with signs in it, in quotes. */
export const valueText = (value: string): string =>
  /^[\w./-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** A term that matches exactly. */
export const termOf = (field: string, value: string): string => `${field}=${valueText(value)}`;

const AND = ' & ';

/** Where a selector has a part outside of all quotes and brackets. */
function placesOutside(selector: string, part: string): number[] {
  const places: number[] = [];
  let [depth, isQuoted] = [0, false];
  for (let at = 0; at < selector.length; at++) {
    const sign = selector[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && selector.startsWith(part, at)) places.push(at);
  }
  return places;
}

const hasOutside = (selector: string, part: string): boolean => placesOutside(selector, part).length > 0;

/** The terms that `withTerm` has added. */
export function termsOf(selector: string): readonly string[] {
  if (hasOutside(selector, '|')) return [];
  const starts = [0, ...placesOutside(selector, AND).map((at) => at + AND.length)];
  return starts
    .map((start, term) => selector.slice(start, (starts[term + 1] ?? selector.length + AND.length) - AND.length))
    .filter((term) => term !== '');
}

const MATCH = /^(!?[\w.]+)[:=]([\s\S]*)$/;

/** Whether two terms choose the same: `tag:pump` and `tag=pump` do, while `tag:pump*` matches more. */
export function isSameTerm(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [MATCH.exec(one), MATCH.exec(other)];
  return a !== null && b !== null && a[1] === b[1] && a[2] === b[2] && !a[2]!.includes('*');
}

/** The selector narrowed by a term; without it, where it has the term. */
export function withTerm(selector: string, term: string): string {
  const terms = termsOf(selector);
  if (terms.some((one) => isSameTerm(one, term))) return terms.filter((one) => !isSameTerm(one, term)).join(AND);
  if (selector.trim() === '') return term;
  return `${hasOutside(selector, '|') ? `(${selector})` : selector}${AND}${term}`;
}
