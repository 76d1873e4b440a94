import { type components } from '../../../../src/api-client/api-client.js';
import { riskOf } from '../../../../src/device-api/connection-risks.js';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { countText } from '../../api/amount-text.js';
import { type SideLine } from '../../ui/sides/side-line.js';
import { serviceName, settingTitle, shownValue } from '../observed/path-words.js';
import { optionsText, valueWords } from '../observed/value-words.js';

/* Items of templates, and what differs from them, as people say it. Pure. */

type Schemas = components['schemas'];

export type Item = Schemas['TemplateItemView'];
export type Difference = Schemas['TemplateDifference'];

/** What an item does with its entry, as a form asks for it. */
export const MODES: Readonly<Record<Item['mode'], string>> = {
  has: 'Set these settings, leave the others',
  only: 'Set these settings, remove all other entries of the list',
  absent: 'Remove it',
};

/** The same as the template says it. */
export const RULES: Readonly<Record<Item['mode'], string>> = {
  has: 'All its other settings stay as they are',
  only: 'All its other settings stay; entries of this list that the template does not name are removed',
  absent: 'It is removed where a router has it',
};

const PLACEHOLDER = /\{\{[^{}]+\}\}/g;

/** The values of each device that items name, such as `{{device.name}}`. */
export const placeholders = (items: readonly Item[]): readonly string[] => [
  ...new Set(items.flatMap(({ options, key }) => JSON.stringify([options, key]).match(PLACEHOLDER) ?? [])),
];

/** `{{field.vlan}}` as "its custom field vlan". */
export function placeholderText(placeholder: string): string {
  const [kind, ...name] = placeholder.slice(2, -2).trim().split('.');
  return kind === 'field' ? `its custom field ${name.join('.')}` : `its ${name.join(' ').replaceAll('_', ' ')}`;
}

/** What a person calls the section that a key names: `guest`, or `with From zone lan, To zone wan`. */
function keyText(path: string, key: Item['key']): string {
  const fields = Object.entries(key);
  const [only] = fields;
  if (!only) return '';
  if (fields.length === 1) return only[1];
  return `with ${fields.map(([field, value]) => `${wordsOfOption(serviceName(path), field).title} ${value}`).join(', ')}`;
}

/** The fields of a key as one text, in any order of them. */
export const keyName = (key: Item['key']): string =>
  JSON.stringify(Object.entries(key).toSorted(([one], [other]) => (one < other ? -1 : 1)));

interface Place {
  readonly path: string;
  readonly key: Item['key'];
  /** Its id on a device, where no key names it. */
  readonly section?: string | null;
  /** Absent or null: the section itself. */
  readonly option?: string | null;
}

/** `Time › Server 1 › Host name`. */
export const titleOf = ({ path, key, section, option }: Place): string =>
  settingTitle(path, keyText(path, key) || (section ?? ''), option);

/** What the device has for it, as a hint. */
export const tokensOf = ({ path, key, option }: Place): string =>
  [path, ...Object.entries(key).map(([field, value]) => `${field}=${value}`), ...(option ? [option] : [])].join(' ');

export const optionTitle = (path: string, option: string): string => wordsOfOption(serviceName(path), option).title;

/** A value as a person reads it; an empty one unsets the option. */
export function valueText(path: string, option: string, value: unknown): string {
  if (value === '' || value === null || value === undefined) return 'not set';
  return valueWords(serviceName(path), option, value);
}

/** A secret is never shown. */
export const sealedText = ({ generate }: Item['sealed'][number]): string =>
  generate === undefined ? 'sealed' : `sealed, made for each device (${countText(generate, 'character')})`;

/** Whether the value of an option is one custom field: then that of a device is set, and not the template. */
export function isFieldOf(items: readonly Item[], { path, key, option }: Difference): boolean {
  const item = items.find((one) => one.path === path && keyName(one.key) === keyName(key));
  const value = option === null ? undefined : item?.options[option];
  return typeof value === 'string' && /^\{\{ *field\.[a-z0-9_]+ *\}\}$/.test(value);
}

/** Whether it is to be closed. */
export const isOpenDifference = ({ is }: Difference): boolean => is !== 'normalised' && is !== 'ignored';

interface DifferenceWords {
  /** The setting. */
  readonly what: string;
  readonly seen: string;
  readonly wanted: string;
}

/** One difference: what it is, and what it should be. */
export function differenceWords(difference: Difference): DifferenceWords {
  const { path, option, is, wanted, seen } = difference;
  const title = titleOf(difference);
  if (option !== null)
    return {
      what: title,
      seen: valueText(path, option, seen),
      wanted: valueText(path, option, wanted),
    };
  const options = is === 'missing' ? wanted : seen;
  const about = isOptions(options) ? optionsText(serviceName(path), options) : shownValue(options);
  return is === 'missing'
    ? { what: title, seen: 'not there', wanted: about || 'there' }
    : { what: title, seen: about || 'there', wanted: 'not there' };
}

const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same as a line: what it should be, then what it is. */
export function sideOf(difference: Difference): SideLine {
  const { what, wanted, seen } = differenceWords(difference);
  return { what, hint: tokensOf(difference), one: wanted, other: seen };
}

/** Why closing it can cut the connection to the device; null: it cannot. */
export function riskOfDifference({ path, option, is }: Difference): string | null {
  const action = option !== null || is === 'different' ? 'update' : is === 'missing' ? 'create' : 'delete';
  return riskOf(path.slice('/api/'.length), action);
}

/** In a sentence: `Time › Server 1 › Host name should be a.example, is b.example`. */
export function differenceText(difference: Difference): string {
  const { what, seen, wanted } = differenceWords(difference);
  return `${what} should be ${wanted}, is ${seen}`;
}

/** In a row: the end of its title and what it is, `Host name is b.example`. */
export function shortDifference(difference: Difference): string {
  const { what, seen } = differenceWords(difference);
  const parts = what.split(' › ');
  const title = parts.slice(difference.option === null ? -1 : -2).join(' › ');
  return `${title} is ${seen}`;
}
