/*
 * The configuration of a device as sections with options, and what differs between two of them. A body is the `data` of an
 * answer, without its secrets: a list of sections, one section (`/x/global`), or an object of lists (certificates). Pure.
 */

export interface ObservedSection {
  /** Its id or name on the device; empty: the body is one section. */
  readonly key: string;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface Difference {
  readonly section: string;
  /** null: only one of the two has the section. */
  readonly option: string | null;
  /** undefined: it is not there. */
  readonly one: unknown;
  readonly other: unknown;
}

/** Names of one change: more than these are of no use to a reader. */
const NAMES_MAX = 100;
const NAME_LENGTH_MAX = 120;

/** What a device names its sections by. Ids may differ between devices, and are the same on one. */
const KEYS = ['id', 'fullname', 'name'] as const;

/**
 * A body as JSON in which names are sorted, so that equal bodies are equal texts. Lists keep their order: it may have a
 * meaning. Some firmware writes an empty list as an object.
 */
export function canonicalBody(body: unknown): string {
  return isRecord(body) && Object.keys(body).length === 0 ? '[]' : canonicalJson(body);
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null';
}

/** The sections of a body, in its order. */
export function sectionsOf(body: unknown): ObservedSection[] {
  if (Array.isArray(body)) return listed(body, '');
  if (!isRecord(body)) return [{ key: '', options: { value: body } }];
  const lists = Object.entries(body).filter(([, value]) => isListOfRecords(value));
  const rest = Object.entries(body).filter(([, value]) => !isListOfRecords(value));
  const sections = lists.flatMap(([name, list]) => listed(list as unknown[], `${name}/`));
  return rest.length > 0 || lists.length === 0
    ? [{ key: '', options: Object.fromEntries(rest) }, ...sections]
    : sections;
}

/** What differs between two bodies, in the order of the first one, then of the second. */
export function differencesOf(one: unknown, other: unknown): Difference[] {
  const before = new Map(sectionsOf(one).map((section) => [section.key, section.options]));
  const after = new Map(sectionsOf(other).map((section) => [section.key, section.options]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((section): Difference[] => {
    const options = before.get(section);
    const others = after.get(section);
    if (!options || !others) return [{ section, option: null, one: options, other: others }];
    return optionsOf([options, others])
      .filter((option) => canonicalJson(options[option]) !== canonicalJson(others[option]))
      .map((option) => ({ section, option, one: options[option], other: others[option] }));
  });
}

/** The names of what differs, such as `lan.proto`; `lan` alone is a section that came or went. */
export function namesOfDifferences(differences: readonly Difference[]): string[] {
  const names = differences.map(({ section, option }) => [section, option].filter(Boolean).join('.') || 'all');
  return [...new Set(names.map(plain))].slice(0, NAMES_MAX);
}

/** All options of some sections, in the order in which they occur. */
const optionsOf = (sections: readonly ObservedSection['options'][]): string[] => [
  ...new Set(sections.flatMap((options) => Object.keys(options))),
];

function listed(list: readonly unknown[], prefix: string): ObservedSection[] {
  const taken = new Map<string, number>();
  return list.map((item, index) => {
    const options = isRecord(item) ? item : { value: item };
    const key = `${prefix}${keyOf(options) ?? `#${index + 1}`}`;
    const count = (taken.get(key) ?? 0) + 1;
    taken.set(key, count);
    return { key: count === 1 ? key : `${key}#${count}`, options };
  });
}

function keyOf(options: Readonly<Record<string, unknown>>): string | null {
  for (const name of KEYS) {
    const value = options[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') return String(value);
  }
  return null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOfRecords = (value: unknown): boolean => Array.isArray(value) && value.every(isRecord);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** As a line of a table and a text of Postgres. */
const plain = (name: string): string =>
  name
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, NAME_LENGTH_MAX)
    .toWellFormed();
