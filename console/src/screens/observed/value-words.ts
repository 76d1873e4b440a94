import { shownMac } from '../../../../src/device-api/mac.js';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { type components } from '../../../../src/api-client/api-client.js';
import { numberText } from '../../api/amount-text.js';
import { sectionNoun, shownValue } from './path-words.js';

/* Values of configuration, and what differs between two of them, as people say it. Pure. */

type Options = Readonly<Record<string, unknown>>;
export type Difference = components['schemas']['ObservedComparison']['differences'][number];

/** What stands in the place of a secret: equal secrets of a device have the same. */
const FINGERPRINT = /^hmac:[0-9a-f]{16}$/;

/** Options that are on or off, by their names: the device has both as `1` and `0`, and numbers too. */
const ON_OR_OFF =
  /enable|disable|allow|hidden|isolate|force|ignore|primary|masq|^(?:proxy|defaultroute|auto|use|is)_|(?:^|_)(?:on|auth)$/;

const WORDS: Readonly<Record<string, string>> = { '0': 'Off', '1': 'On' };

const isSecret = (value: unknown): boolean => typeof value === 'string' && FINGERPRINT.test(value);

/** @param service as the dictionary names it, such as `firewall/zones` */
export function valueWords(service: string, option: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => valueWords(service, option, one)).join(', ') || '–';
  if (isSecret(value)) return 'a secret';
  const text = shownValue(value);
  const word = wordsOfOption(service, option).values?.[text];
  return word ?? (ON_OR_OFF.test(option) ? (WORDS[text] ?? text) : shownMac(option, text));
}

/** Names of the device, and remarks that it makes on its own options. */
export const isOption = (name: string): boolean => name !== 'id' && !name.startsWith('.') && !name.includes(':');

const NAMES = ['username', 'name', 'ssid'] as const;

/** What a person calls a section: its name where it has one. @param section its id on the device */
export function sectionName(section: string, options: Options | undefined): string {
  const own = NAMES.map((name) => options?.[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof own === 'string' ? own : section || 'Settings';
}

const OPTIONS_SHOWN = 3;

/** The first options of a section, such as `Group root, SSH enable Off`; those that are its name are left out. */
export function optionsText(service: string, options: Options, name = ''): string {
  const shown = Object.entries(options).filter(([option, value]) => isOption(option) && value !== name);
  const words = shown
    .slice(0, OPTIONS_SHOWN)
    .map(([option, value]) => `${wordsOfOption(service, option).title} ${valueWords(service, option, value)}`);
  const more = shown.length - words.length;
  return words.join(', ') + (more > 0 ? ` and ${numberText(more)} more` : '');
}

/** One thing that differs. */
export interface ChangeLine {
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

const optionsOfSection = (value: unknown): Options =>
  typeof value === 'object' && value !== null ? (value as Options) : {};

/** What differs, with both values; secrets by a word, since they are stored as fingerprints. */
export const changeLines = (service: string, differences: readonly Difference[]): readonly ChangeLine[] =>
  differences.map(({ section, option, one, other }) => {
    if (option === null) {
      const isAdded = one === undefined;
      const options = optionsOfSection(isAdded ? other : one);
      const name = sectionName(section, options);
      const about = optionsText(service, options, name) || 'there';
      const [before, after] = isAdded ? [NOT_THERE, about] : [about, NOT_THERE];
      return { what: sectionNoun(service, name), before, after };
    }
    const title = wordsOfOption(service, option).title;
    const what = [sectionNoun(service, section), title].filter(Boolean).join(' › ');
    if (isSecret(one) || isSecret(other)) return { what, ...secretTexts(one, other) };
    return { what, before: valueWords(service, option, one), after: valueWords(service, option, other) };
  });

const NOT_THERE = 'not there';

function secretTexts(one: unknown, other: unknown): Pick<ChangeLine, 'before' | 'after'> {
  if (!one) return { before: 'not set', after: 'a secret' };
  return { before: 'a secret', after: other ? 'another secret' : 'not set' };
}
