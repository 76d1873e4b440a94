import { placeOfOption, wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { type OptionWords } from '../../../../src/device-api/words/words.js';
import { type Option } from '../device-api/operation.js';

/*
 * The options of one section as texts of a form, and back. The gateway puts a marker in the place of a secret that the caller
 * may not read. A marker that is written back would become the secret, so options go into a change only when a person has
 * typed another value.
 */

export type Section = Readonly<Record<string, unknown>>;

/** What was typed, by the names of options. */
export type Typed = Readonly<Record<string, string>>;

export type Changes = Readonly<Record<string, string | readonly string[]>>;

export interface FormOption {
  readonly name: string;
  readonly words: OptionWords;
  /** Lists have an entry in each line. */
  readonly text: string;
  readonly isList: boolean;
  readonly values: readonly string[] | null;
  readonly type: string | null;
  readonly preset: string | null;
  readonly isRequired: boolean;
  /** It has a value, which is not shown. */
  readonly isHidden: boolean;
  readonly isSecret: boolean;
}

const MARKER = /^hmac:[0-9a-f]{16}$/;

export const isMarker = (value: unknown): boolean => typeof value === 'string' && MARKER.test(value);

/** What the console cannot change in a form: names of the section, and remarks of the device. */
const isFixed = (name: string): boolean => name === 'id' || name.startsWith('.') || name.includes(':');

const isWritable = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string' || typeof value === 'number' || isTexts(value);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** The options of a section: those that it has and those that it may have, in the order of the dictionary. */
export function formOptions(section: Section, declared: readonly Option[], service = ''): readonly FormOption[] {
  const byName = new Map(declared.map((option) => [option.name, option]));
  const names = [...new Set([...Object.keys(section), ...byName.keys()])];
  return names
    .filter((name) => !isFixed(name) && isWritable(section[name]))
    .map((name) => formOption(name, section, byName.get(name), wordsOfOption(service, name)))
    .toSorted((one, other) => placeOfOption(service, one.name) - placeOfOption(service, other.name));
}

function formOption(name: string, section: Section, option: Option | undefined, words: OptionWords): FormOption {
  const value = section[name];
  const isSecret = `${name}:set` in section;
  const isHidden = isTexts(value) ? value.some(isMarker) : isMarker(value) || (isSecret && !value);
  return {
    name,
    words,
    text: isHidden ? '' : textOf(value),
    isList: option?.isList ?? Array.isArray(value),
    values: option?.values ?? null,
    type: option?.type ?? null,
    preset: option?.preset ?? null,
    isRequired: option?.isRequired ?? false,
    isHidden,
    isSecret: isSecret || isHidden,
  };
}

function textOf(value: unknown): string {
  if (isTexts(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** What a form changes, as the device takes it: all values are texts. */
export function changesOf(options: readonly FormOption[], typed: Typed): Changes {
  const changed = options.filter((option) => !sameText(option, typed[option.name] ?? option.text));
  return Object.fromEntries(
    changed.map(({ name, isList }) => {
      const text = typed[name] ?? '';
      return [name, isList ? linesOf(text) : text];
    }),
  );
}

/** An empty row is no entry of a list. */
const sameText = ({ text, isList }: FormOption, typed: string): boolean =>
  isList ? linesOf(typed).join('\n') === linesOf(text).join('\n') : typed === text;

export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export interface OptionDifference {
  readonly name: string;
  readonly title: string;
  readonly before: string;
  readonly after: string;
}

const HIDDEN = 'a value that is not shown';

/** What a change does to each option, for people. */
export const differenceOf = (options: readonly FormOption[], changes: Changes): readonly OptionDifference[] =>
  options
    .filter(({ name }) => name in changes)
    .map(({ name, words, values, text, isHidden, isSecret }) => {
      const said = (lines: readonly string[]) =>
        lines.map((line) => valueText({ words, values }, line)).join(', ') || 'not set';
      return {
        name,
        title: words.title,
        before: isHidden ? HIDDEN : said(linesOf(text)),
        after: isSecret ? HIDDEN : said([changes[name] ?? ''].flat().filter(Boolean)),
      };
    });

/** A value in words, where there are some. */
export function valueText({ words, values }: Pick<FormOption, 'words' | 'values'>, value: string): string {
  const word = words.values?.[value];
  if (word) return word;
  return isFlag(values) ? (FLAG_WORDS[value] ?? value) : value;
}

const FLAG_WORDS: Readonly<Record<string, string>> = { '0': 'Off', '1': 'On' };

export const isFlag = (values: readonly string[] | null): boolean =>
  values?.length === 2 && values.every((value) => value === '0' || value === '1');
