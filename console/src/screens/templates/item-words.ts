import { type components } from '../../../../src/api-client/api-client.js';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { countText } from '../../api/amount-text.js';
import { pathTitle, serviceName, shownValue } from '../observed/path-words.js';
import { optionsText, valueWords } from '../observed/value-words.js';

/* Items of templates, and what differs from them, as people say it. Pure. */

type Schemas = components['schemas'];

export type Item = Schemas['TemplateItemView'];
export type Difference = Schemas['TemplateDifference'];

/** What an item does with its section, as a form asks for it. */
export const MODES: Readonly<Record<Item['mode'], string>> = {
  has: 'Set these options, leave the others',
  only: 'Set these options, remove every other section',
  absent: 'Remove this section',
};

/** The same as the template says it. */
export const RULES: Readonly<Record<Item['mode'], string>> = {
  has: 'Only these options are set; all others stay as they are',
  only: 'These are set; sections that the template does not name are removed',
  absent: 'It is removed',
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

/** What a person calls the section that a key names: `guest`, or `Source lan, Target wan`. */
export function keyText(path: string, key: Item['key']): string {
  const fields = Object.entries(key);
  const [only] = fields;
  if (!only) return '';
  if (fields.length === 1) return only[1];
  return fields.map(([field, value]) => `${wordsOfOption(serviceName(path), field).title} ${value}`).join(', ');
}

/** The fields of a key as one text, in any order of them. */
export const keyName = (key: Item['key']): string =>
  JSON.stringify(Object.entries(key).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** `System › Time servers › 1`. */
export const sectionTitle = (path: string, key: Item['key'], section: string | null = null): string =>
  [pathTitle(path), keyText(path, key) || section].filter(Boolean).join(' › ');

export const optionTitle = (path: string, option: string): string => wordsOfOption(serviceName(path), option).title;

/** A value as a person reads it; an empty one unsets the option. */
export function valueText(path: string, option: string, value: unknown): string {
  if (value === '' || value === null || value === undefined) return 'not set';
  return valueWords(serviceName(path), option, value);
}

/** A secret is never shown. */
export const sealedText = ({ generate }: Item['sealed'][number]): string =>
  generate === undefined ? 'sealed' : `sealed, made for each device (${countText(generate, 'character')})`;

/** Whether it is to be closed. */
export const isOpenDifference = ({ is }: Difference): boolean => is !== 'normalised' && is !== 'ignored';

interface DifferenceWords {
  /** The setting. */
  readonly what: string;
  /** null: there is nothing to set against the other. */
  readonly seen: string | null;
  readonly wanted: string | null;
}

/** One difference: what it is, and what it should be. */
export function differenceWords({ path, key, section, option, is, wanted, seen }: Difference): DifferenceWords {
  const title = sectionTitle(path, key, section);
  if (option !== null)
    return {
      what: `${title} › ${optionTitle(path, option)}`,
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

/** In a sentence: `System › Time servers › 1 › Host name is a.example, should be b.example`. */
export function differenceText(difference: Difference): string {
  const { what, seen, wanted } = differenceWords(difference);
  return `${what} is ${seen}, should be ${wanted}`;
}
