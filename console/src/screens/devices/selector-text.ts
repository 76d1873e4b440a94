/* Selectors as texts, as far as clicks change them (docs/reference/selectors.md). */

/** A value as a selector takes it: with signs in it, in quotes. */
export const valueText = (value: string): string =>
  /^[\w./-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** A term that matches exactly. */
export const termOf = (field: string, value: string): string => `${field}=${valueText(value)}`;

const AND = ' & ';

/** The parts of a selector between these signs, outside of all quotes and brackets. */
function partsOutside(selector: string, sign: '&' | '|'): readonly string[] {
  const places: number[] = [];
  let [depth, isQuoted] = [0, false];
  for (let at = 0; at < selector.length; at++) {
    const one = selector[at];
    if (isQuoted && one === '\\') at++;
    else if (one === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (one === '(') depth++;
    else if (one === ')') depth--;
    else if (depth === 0 && one === sign) places.push(at);
  }
  const starts = [0, ...places.map((at) => at + 1)];
  return starts.map((start, part) => selector.slice(start, places[part]).trim()).filter((part) => part !== '');
}

/** The terms that must all hold. Alternatives are one term in brackets: `state:a | state:b` is `(state:a | state:b)`. */
function termsOf(selector: string): readonly string[] {
  if (partsOutside(selector, '|').length > 1) return [`(${selector.trim()})`];
  return partsOutside(selector, '&');
}

/** The alternatives of a term: of `(a | b)` both, of any other itself. */
const alternativesOf = (term: string): readonly string[] =>
  term.startsWith('(') && term.endsWith(')') ? partsOutside(term.slice(1, -1), '|') : [term];

const MATCH = /^([\w.]+)[:=]([\s\S]*)$/;

const fieldOf = (term: string): string | undefined => MATCH.exec(term)?.[1];

/** Whether two terms choose the same: `tag:pump` and `tag=pump` do, while `tag:pump*` matches more. */
function isSameTerm(one: string, other: string): boolean {
  if (one === other) return true;
  const [a, b] = [MATCH.exec(one), MATCH.exec(other)];
  return a !== null && b !== null && a[1] === b[1] && a[2] === b[2] && !a[2]!.includes('*');
}

const holds = (terms: readonly string[], term: string): boolean => terms.some((one) => isSameTerm(one, term));

/** Whether a term chooses values of this field, and of no other. */
const isOf = (term: string, field: string): boolean => alternativesOf(term).every((one) => fieldOf(one) === field);

const joined = (alternatives: readonly string[]): string =>
  alternatives.length === 1 ? alternatives[0]! : `(${alternatives.join(' | ')})`;

/** The values of a field that a selector chooses, as terms: alternatives of each other. */
export const chosenOf = (selector: string, field: string): readonly string[] =>
  termsOf(selector)
    .filter((term) => isOf(term, field))
    .flatMap(alternativesOf);

/** Whether a selector chooses the devices of a term: alone, or as one of several alternatives. */
export function hasTerm(selector: string, term: string): boolean {
  const wanted = alternativesOf(term);
  const chosen = chosenOf(selector, fieldOf(wanted[0] ?? '') ?? '');
  return wanted.every((one) => holds(chosen, one));
}

/** Whether `!term` leaves out the devices of another one: all of its alternatives are among those that are left out. */
const isLeftOut = (one: string, term: string): boolean =>
  one.startsWith('!') && alternativesOf(term).every((wanted) => holds(alternativesOf(one.slice(1)), wanted));

/** Whether a selector leaves out the devices of a term. */
export const leavesOut = (selector: string, term: string): boolean =>
  termsOf(selector).some((one) => isLeftOut(one, term));

/** The selector with one more value of its field as an alternative; without it, where it has the value. */
export function withTerm(selector: string, term: string): string {
  const wanted = alternativesOf(term);
  const field = fieldOf(wanted[0] ?? '') ?? '';
  const terms = termsOf(selector).filter((one) => !isLeftOut(one, term));
  if (hasTerm(selector, term)) return withoutAlternatives(terms, field, wanted).join(AND);
  const own = terms.filter((one) => isOf(one, field));
  // Two terms of one field, as typed, must both hold: another one narrows them.
  if (own.length !== 1) return [...terms, term].join(AND);
  const all = alternativesOf(own[0]!);
  const group = joined([...all, ...wanted.filter((one) => !holds(all, one))]);
  return terms.map((one) => (one === own[0] ? group : one)).join(AND);
}

/** The selector that leaves out the devices of a term; without this, where it does. */
export function withoutTerm(selector: string, term: string): string {
  if (leavesOut(selector, term))
    return termsOf(selector)
      .filter((one) => !isLeftOut(one, term))
      .join(AND);
  const wanted = alternativesOf(term);
  return [...withoutAlternatives(termsOf(selector), fieldOf(wanted[0] ?? '') ?? '', wanted), `!${term}`].join(AND);
}

/** The selector without what it says of the values of a field. */
export const withoutField = (selector: string, field: string): string =>
  termsOf(selector)
    .filter((term) => !isOf(term.replace(/^!/, ''), field))
    .join(AND);

const withoutAlternatives = (terms: readonly string[], field: string, left: readonly string[]): readonly string[] =>
  terms.flatMap((term) => {
    if (!isOf(term, field)) return [term];
    const rest = alternativesOf(term).filter((one) => !holds(left, one));
    return rest.length === 0 ? [] : [joined(rest)];
  });

/** The value that a term matches exactly; null: a pattern. */
export function valueOf(term: string): string | null {
  const value = MATCH.exec(term)?.[2];
  if (value === undefined) return null;
  if (value.startsWith('"')) return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
  return value.includes('*') ? null : value;
}
