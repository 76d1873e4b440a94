import { FIREWALL_WORDS } from './firewall-words.js';
import { MOBILE_WORDS } from './mobile-words.js';
import { NETWORK_WORDS } from './network-words.js';
import { OPTION_WORDS } from './option-words.js';
import { readable } from './readable.js';
import { SERVICES_WORDS } from './services-words.js';
import { SYSTEM_WORDS } from './system-words.js';
import { VPN_WORDS } from './vpn-words.js';
import { WIRELESS_WORDS } from './wireless-words.js';
import type { OptionTable, OptionWords, ServiceTable, ServiceWords } from './words.js';

/* The words for a service or an option by its own name, and a readable form of that name where there are none. */

const SERVICE_WORDS: ServiceTable = {
  ...NETWORK_WORDS,
  ...MOBILE_WORDS,
  ...WIRELESS_WORDS,
  ...FIREWALL_WORDS,
  ...VPN_WORDS,
  ...SERVICES_WORDS,
  ...SYSTEM_WORDS,
};

/** The order of the dictionary is the order of the menu. */
const PLACES = new Map(Object.keys(SERVICE_WORDS).map((name, at) => [name, at]));

export const placeOfService = (name: string): number => PLACES.get(name) ?? PLACES.size;

/** @param name such as `firewall/zones`, `firewall/global`, `wireguard/{parent}/peers` */
export function wordsOfService(name: string): ServiceWords {
  const known = knownService(name);
  if (known) return known;
  const parts = name.split('/').filter((part) => !part.startsWith('{') && part !== 'global');
  return { title: readable(parts.join(' ')) };
}

/** @param service the name of the service that has the option */
export function wordsOfOption(service: string, option: string): OptionWords {
  const known = entryOf(knownService(service)?.options, option) ?? entryOf(OPTION_WORDS, option);
  if (known === undefined) return { title: readable(option) };
  return typeof known === 'string' ? { title: known } : known;
}

/** Options in the order in which people expect them; what the dictionary lacks comes last, in the order of the device. */
export function placeOfOption(service: string, option: string): number {
  const names = Object.keys(knownService(service)?.options ?? {});
  const at = names.indexOf(option);
  return at < 0 ? names.length : at;
}

// Names come from the device: `constructor` is none of ours.
const knownService = (name: string) => (Object.hasOwn(SERVICE_WORDS, name) ? SERVICE_WORDS[name] : undefined);

const entryOf = (table: OptionTable | undefined, name: string) =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

export const knownServices = (): readonly string[] => Object.keys(SERVICE_WORDS);
