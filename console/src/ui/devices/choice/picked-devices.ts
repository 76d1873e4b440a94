/*
 * Devices chosen by clicks: values of one field are alternatives, and fields narrow each other, as `(site:riga/* | site:vilnius/*) &
 * model=RUT241`. Names are the devices themselves: they take the place of the other fields, and these of them. A selector of
 * another form, which a person has typed, is not read: a click narrows it. Pure.
 */

/** A field that can be chosen by clicks; `name` has ids, too. */
export type PickField = 'site' | 'model' | 'tag' | 'firmware' | 'name';

const AND = ' & ';
const OR = ' | ';

/** The terms of a selector by fields; null: it is not made of clicks. */
export function pickedTerms(selector: string): readonly (readonly string[])[] | null {
  const text = selector.trim();
  if (text === '' || text === 'all') return [];
  const fields = split(text, AND).map((part) => split(unwrapped(part.trim()), OR).map((term) => term.trim()));
  return fields.every(isOneField) ? fields : null;
}

/** The chosen terms of each field; null: the selector is not made of clicks. */
export function pickedFields(selector: string): ReadonlyMap<PickField, readonly string[]> | null {
  const fields = pickedTerms(selector);
  return fields && new Map(fields.map((terms) => [fieldOf(terms[0]!)!, terms]));
}

/** The selector with a term, or without it where it has the term. */
export function withPicked(selector: string, term: string): string {
  const fields = pickedTerms(selector);
  if (fields === null) return `${split(selector, OR).length > 1 ? `(${selector})` : selector}${AND}${term}`;
  const field = fieldOf(term);
  const own = fields.find(([first = '']) => fieldOf(first) === field);
  if (!own) return textOf([...fields.filter(([first = '']) => isName(first) === isName(term)), [term]]);
  const others = own.filter((one) => !isSameTerm(one, term));
  const changed = others.length < own.length ? others : [...own, term];
  return textOf(fields.map((terms) => (terms === own ? changed : terms)).filter((terms) => terms.length > 0));
}

/** Whether two terms name the same devices, such as `tag:pump` and `tag="pump"`. */
export const isSameTerm = (one: string, other: string): boolean => exact(one) === exact(other);

/** Of a term without `*`, `:` and `=` mean the same. */
const exact = (term: string): string =>
  term.includes('*') ? term : term.replace(/^(\w+):/, '$1=').replaceAll('"', '');

/** What a term chooses, as people call it: `site:riga/*` is `riga`. */
export function termText(term: string): string {
  const [, field = '', value = ''] = /^(\w+)[:=<](.*)$/.exec(term) ?? [];
  const text = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
  if (field === 'firmware' && term.startsWith('firmware<')) return `before ${text}`;
  return field === 'site' ? text.replace(/\/\*$/, '') : text;
}

/** The device of such an id or name, as a term. */
export const nameTerm = (name: string): string => `name=${quoted(name)}`;

/** The id that a term names; null: it names something else. */
export const idOf = (term: string): string | null => /^id[:=](.+)$/.exec(term)?.[1] ?? null;

const textOf = (fields: readonly (readonly string[])[]): string =>
  fields.map((terms) => (terms.length > 1 && fields.length > 1 ? `(${terms.join(OR)})` : terms.join(OR))).join(AND);

const fieldOf = (term: string): PickField | undefined => {
  const field = /^(site|model|tag|firmware|name|id)(?:[:=]|<(?!=))/.exec(term)?.[1];
  return field === 'id' ? 'name' : (field as PickField | undefined);
};

const isName = (term: string): boolean => fieldOf(term) === 'name';

function isOneField(terms: readonly string[]): boolean {
  const [first = ''] = terms;
  const field = fieldOf(first);
  return field !== undefined && terms.every((term) => fieldOf(term) === field && !/[()&|!]/.test(bare(term)));
}

/** Without what stands in quotes. */
const bare = (term: string): string => term.replaceAll(/"(?:[^"\\]|\\.)*"/g, '');

const unwrapped = (part: string): string =>
  part.startsWith('(') && part.endsWith(')') && !/[()]/.test(bare(part).slice(1, -1)) ? part.slice(1, -1) : part;

/** The parts of a text between a sign, outside of brackets and quotes. */
function split(text: string, by: string): readonly string[] {
  const parts: string[] = [];
  let [start, depth, isQuoted] = [0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isQuoted && sign === '\\') at++;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && text.startsWith(by, at)) {
      parts.push(text.slice(start, at));
      start = at + by.length;
    }
  }
  return [...parts, text.slice(start)];
}

/** A choice that a click makes. */
export interface Pick {
  readonly text: string;
  readonly term: string;
  readonly devices: number;
}

interface Counted {
  readonly value: string | null;
  readonly devices: number;
}

const quoted = (value: string): string =>
  /^[\w./-]+$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The choices of a field: sites by their first part, firmware as what is older than a version. */
export function picksOf(by: string, counted: readonly Counted[]): readonly Pick[] {
  const named = counted.flatMap(({ value, devices }) => (value ? [{ value, devices }] : []));
  if (by === 'site') return sitesOf(named);
  if (by === 'firmware') return olderThan(named);
  return named.map(({ value, devices }) => ({ text: value, term: `${by}=${quoted(value)}`, devices }));
}

type Named = Readonly<{ value: string; devices: number }>;

const sum = (of: readonly Named[]): number => of.reduce((all, { devices }) => all + devices, 0);

function sitesOf(named: readonly Named[]): readonly Pick[] {
  const roots = [...new Set(named.map(({ value }) => value.split('/')[0]!))].toSorted();
  return roots.flatMap((root) => {
    const inside = named.filter(({ value }) => value === root || value.startsWith(`${root}/`));
    const isPlain = quoted(root) === root && !inside.some(({ value }) => value === root);
    if (isPlain) return [{ text: root, term: `site:${root}/*`, devices: sum(inside) }];
    return inside.map(({ value, devices }) => ({ text: value, term: `site=${quoted(value)}`, devices }));
  });
}

/** `RUTX_R_00.07.25.3` → `07.25.3`. */
const versionOf = (value: string): string | undefined => /(?:^|_00\.|_)(\d+(?:\.\d+)+)$/.exec(value)?.[1];

function olderThan(named: readonly Named[]): readonly Pick[] {
  const known = named.flatMap((one) => {
    const version = versionOf(one.value);
    return version === undefined ? [] : [{ ...one, version }];
  });
  const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });
  const versions = [...new Set(known.map(({ version }) => version))].toSorted((a, b) => compare(b, a));
  return versions.slice(0, -1).map((version) => ({
    text: `before ${version}`,
    term: `firmware<${version}`,
    devices: sum(known.filter((one) => compare(one.version, version) < 0)),
  }));
}
