import { type components } from '../../../../../src/api-client/api-client.js';
import { isOption } from '../../observed/value-words.js';
import { keyName } from '../item-words.js';

/* The items of a draft as fields and as text. The gateway judges what they say. Pure. */

type Schemas = components['schemas'];

type SavedItem = Schemas['SaveTemplate']['items'][number];

/** As a form has it: with all its parts. */
export type DraftItem = Required<SavedItem>;
export type OptionValue = DraftItem['options'][string];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const textOfItems = (items: readonly DraftItem[]): string => JSON.stringify(items, null, 2);

interface ReadItems {
  /** null: it cannot be read. */
  readonly items: readonly DraftItem[] | null;
  readonly problem: string | null;
}

/** Items as a person wrote them; what is left out is empty. */
export function readItems(text: string): ReadItems {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { items: null, problem: 'This is not valid JSON.' };
  }
  if (!Array.isArray(read) || !read.every(isItem))
    return { items: null, problem: 'This is not a list of items, each with a path, in square brackets.' };
  return { items: read.map((item) => ({ mode: 'has', key: {}, options: {}, sealed: [], ...item })), problem: null };
}

const isItem = (value: unknown): value is SavedItem & Record<string, unknown> =>
  isRecord(value) &&
  typeof value['path'] === 'string' &&
  ['key', 'options'].every((part) => value[part] === undefined || isRecord(value[part])) &&
  (value['sealed'] === undefined || Array.isArray(value['sealed']));

/** What several lines of a field say: one value, or a list where the option had one. */
export const valueOf = (text: string, before: OptionValue): OptionValue =>
  Array.isArray(before) ? text.split(',').flatMap((one) => one.trim() || []) : text;

export const textOf = (value: OptionValue): string => (Array.isArray(value) ? value.join(', ') : value);

const FINGERPRINT = /^hmac:/;

/** The options of a section that a template can name, as texts and lists of texts: no names of the device, and no secret. */
export function namedOptions(options: Readonly<Record<string, unknown>>): Readonly<Record<string, OptionValue>> {
  const named = Object.entries(options).flatMap(([name, value]): [string, OptionValue][] => {
    if (!isOption(name) || value === null || isRecord(value)) return [];
    if (Array.isArray(value)) return [[name, value.map(String)]];
    const text = typeof value === 'string' ? value : String(Number(value));
    return FINGERPRINT.test(text) ? [] : [[name, text]];
  });
  return Object.fromEntries(named);
}

/** Fields by which a person knows a section, the best one first. */
const KEYS = ['name', 'username', 'ssid', 'hostname', 'id'];

/** The fields that can name a section: those with a text. */
export function keyFields(options: Readonly<Record<string, unknown>>): readonly string[] {
  const fields = Object.keys(options).filter((name) => {
    const value = options[name];
    return (isOption(name) || name === 'id') && typeof value === 'string' && value !== '' && !FINGERPRINT.test(value);
  });
  const place = (name: string) => (KEYS.includes(name) ? KEYS.indexOf(name) : KEYS.length);
  return fields.toSorted((one, other) => place(one) - place(other));
}

/** Puts settings to those of the same section; what has no section among them comes last. */
export function withItems(items: readonly DraftItem[], added: readonly DraftItem[]): readonly DraftItem[] {
  const nameOf = ({ path, key }: DraftItem) => `${path} ${keyName(key)}`;
  return added.reduce((all, item) => {
    const at = all.findIndex((one) => one.mode !== 'absent' && item.mode === 'has' && nameOf(one) === nameOf(item));
    if (at < 0) return [...all, item];
    return all.map((one, index) => (index === at ? { ...one, options: { ...one.options, ...item.options } } : one));
  }, items);
}

export const isRecordPath = (path: string): boolean => path.endsWith('/global');
