/* Selectors as texts, as far as clicks change them (docs/reference/selectors.md). */

/** A value as a selector takes it: with signs in it, in quotes. */
export const valueText = (value: string): string =>
  /^[\w./-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** A term that matches exactly. */
export const termOf = (field: string, value: string): string => `${field}=${valueText(value)}`;

const AND = ' & ';

/** Whether a selector has a part outside of all quotes and brackets. */
function hasOutside(selector: string, part: string): boolean {
  let [depth, isQuoted] = [0, false];
  for (let at = 0; at < selector.length; at++) {
    const sign = selector[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && selector.startsWith(part, at)) return true;
  }
  return false;
}

/** The terms that `withTerm` has added. */
export const termsOf = (selector: string): readonly string[] =>
  hasOutside(selector, '|') ? [] : selector.split(AND).filter((term) => term !== '');

/** The selector narrowed by a term; without it, where it has the term. */
export function withTerm(selector: string, term: string): string {
  const terms = termsOf(selector);
  if (terms.includes(term)) return terms.filter((one) => one !== term).join(AND);
  if (selector.trim() === '') return term;
  return `${hasOutside(selector, '|') ? `(${selector})` : selector}${AND}${term}`;
}
