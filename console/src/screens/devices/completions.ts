/* Completion of a selector: fields, states, saved selectors, and the words between terms. */

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
  ['seen>', 'has not answered for, such as 1d'],
  ['seen<', 'has answered within, such as 2h'],
  ['serial:', 'a serial number'],
  ['mac:', 'a MAC address'],
  ['trust:', 'pin, ca or insecure'],
  ['profile:', 'spec, rutos or unknown'],
  ['all', 'every device'],
];

const VALUES: Readonly<Record<string, readonly string[]>> = {
  'state:': ['online', 'offline', 'credentials_refused', 'trust_changed', 'new'],
  'trust:': ['pin', 'ca', 'insecure'],
  'profile:': ['spec', 'rutos', 'unknown'],
};

const MAX = 8;
const SEPARATORS = ' &|!()';

/**
 * What can follow a text.
 * @param keys of custom fields
 * @param saved names of saved selectors
 */
export function completions(text: string, keys: readonly string[], saved: readonly string[]): Completion[] {
  const start = Math.max(...[...SEPARATORS].map((separator) => text.lastIndexOf(separator))) + 1;
  const [before, word] = [text.slice(0, start), text.slice(start).toLowerCase()];
  const colon = word.indexOf(':') + 1;
  const values = VALUES[word.slice(0, colon)];
  const words: (readonly [string, string])[] = values
    ? values.map((value) => [word.slice(0, colon) + value, ''])
    : [
        ...FIELDS,
        ...keys.map((key) => [`field.${key}:`, 'a custom field'] as const),
        ...saved.map((name) => [`@${name}`, 'a saved selector'] as const),
      ];
  return words
    .filter(([shown]) => shown.toLowerCase().startsWith(word) && shown !== word)
    .slice(0, MAX)
    .map(([shown, about]) => ({ text: before + shown, shown, about }));
}
