import { valueText } from './selector-text.js';

/* Completion of a selector: fields, their values in this fleet, states, saved selectors, and the words between terms. */

export interface Completion {
  /** The whole text with it. */
  readonly text: string;
  readonly shown: string;
  readonly about: string;
}

const FIELDS: readonly (readonly [string, string])[] = [
  ['tag:', 'a tag'],
  ['site:', 'such as vilnius/*'],
  ['name:', 'such as pump-*'],
  ['state:', 'online, offline, …'],
  ['model:', 'such as RUTX*'],
  ['firmware<', 'older than a version'],
  ['firmware:', 'such as 7.14*'],
  ['operator:', 'the mobile network'],
  ['seen>', 'has not answered for, such as 1d'],
  ['seen<', 'has answered within, such as 2h'],
  ['serial:', 'a serial number'],
  ['mac:', 'a MAC address'],
  ['trust:', 'pin, ca or insecure'],
  ['profile:', 'spec, rutos or unknown'],
  ['credentials:', 'stored or none'],
  ['spare:', 'used, stored or none: the spare address'],
  ['all', 'every device'],
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'state:': ['online', 'offline', 'credentials_refused', 'trust_changed', 'new'],
  'trust:': ['pin', 'ca', 'insecure'],
  'profile:': ['spec', 'rutos', 'unknown'],
  'credentials:': ['none', 'stored'],
  'spare:': ['used', 'stored', 'none'],
};

const MAX = 8;
const SEPARATORS = ' &|!()';

/** What a fleet has, for its completion. */
export interface FleetValues {
  /** Keys of custom fields. */
  readonly keys: readonly string[];
  /** Names of saved selectors. */
  readonly saved: readonly string[];
  /** Values of `tag`, `site` and others, the most frequent first. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** What can follow a text. */
export function completions(text: string, known: FleetValues): Completion[] {
  const start = Math.max(...[...SEPARATORS].map((separator) => text.lastIndexOf(separator))) + 1;
  const [before, word] = [text.slice(0, start), text.slice(start).toLowerCase()];
  const sign = Math.max(word.indexOf(':'), word.indexOf('='));
  const words = sign < 0 ? namesOf(known) : valuesOf(word.slice(0, sign), word.charAt(sign), known);
  return words
    .filter(([shown]) => shown.toLowerCase().startsWith(word) && shown.toLowerCase() !== word)
    .slice(0, MAX)
    .map(([shown, about]) => ({ text: before + shown, shown, about }));
}

const namesOf = ({ keys, saved }: FleetValues): readonly (readonly [string, string])[] => [
  ...FIELDS,
  ...keys.map((key) => [`field.${key}:`, 'a custom field'] as const),
  ...saved.map((name) => [`@${name}`, 'a saved selector'] as const),
];

function valuesOf(field: string, sign: string, { values }: FleetValues): readonly (readonly [string, string])[] {
  const all = VALUES[`${field}:`] ?? values[field] ?? [];
  return all.map((value) => [field + sign + valueText(value), ''] as const);
}
