import { type Option } from '../device-api/option.js';

/*
 * The options of one section as texts of a form, and back. The gateway puts a marker in the place of a secret that the caller
 * may not read. A marker that is written back would become the secret, so options go into a change only when a person has
 * typed another value.
 */

export type Section = Readonly<Record<string, unknown>>;

export interface FormOption {
  readonly name: string;
  /** Lists have an entry in each line. */
  readonly text: string;
  readonly isList: boolean;
  readonly values: readonly string[] | null;
  readonly type: string | null;
  readonly preset: string | null;
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

/** The options of a section: those that it has, then those that it may have. */
export function formOptions(section: Section, declared: readonly Option[]): readonly FormOption[] {
  const byName = new Map(declared.map((option) => [option.name, option]));
  const names = [...new Set([...Object.keys(section), ...byName.keys()])];
  return names
    .filter((name) => !isFixed(name) && isWritable(section[name]))
    .map((name) => formOption(name, section, byName.get(name)));
}

function formOption(name: string, section: Section, option: Option | undefined): FormOption {
  const value = section[name];
  const isSecret = `${name}:set` in section;
  const isHidden = isTexts(value) ? value.some(isMarker) : isMarker(value) || (isSecret && !value);
  return {
    name,
    text: isHidden ? '' : textOf(value),
    isList: option?.isList ?? Array.isArray(value),
    values: option?.values ?? null,
    type: option?.type ?? null,
    preset: option?.preset ?? null,
    isHidden,
    isSecret: isSecret || isHidden,
  };
}

function textOf(value: unknown): string {
  if (isTexts(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** What a form changes, as the device takes it: all values are texts. */
export function changesOf(
  options: readonly FormOption[],
  typed: Readonly<Record<string, string>>,
): Readonly<Record<string, string | readonly string[]>> {
  const changed = options.filter(({ name, text }) => (typed[name] ?? text) !== text);
  return Object.fromEntries(
    changed.map(({ name, isList }) => {
      const text = typed[name] ?? '';
      return [name, isList ? linesOf(text) : text];
    }),
  );
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

export interface OptionDifference {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const HIDDEN = 'a value that is not shown';

/** What a change does to each option, for people. */
export const differenceOf = (
  options: readonly FormOption[],
  changes: Readonly<Record<string, string | readonly string[]>>,
): readonly OptionDifference[] =>
  options
    .filter(({ name }) => name in changes)
    .map(({ name, text, isHidden, isSecret }) => ({
      name,
      before: isHidden ? HIDDEN : text.split('\n').join(', ') || 'not set',
      after: isSecret ? HIDDEN : [changes[name] ?? ''].flat().join(', ') || 'not set',
    }));
