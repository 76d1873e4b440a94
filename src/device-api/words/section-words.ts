import { shownMac } from '../mac.js';
import { wordsOfOption, wordsOfService } from './dictionary.js';
import { readable } from './readable.js';

/*
 * What people call one section of a service, and what it is set to, in a line. Values come from a device: each is checked, and
 * secrets and the markers in their place are left out. Pure.
 */

type Section = Readonly<Record<string, unknown>>;

const NAMES = ['name', 'ssid', 'username', 'hostname', 'description'] as const;

const MARKER = /^hmac:[0-9a-f]{16}$/;
const MOBILE = /^mob(\d)s(\d)a(\d)$/;
const SIDE = /^(lan|wan)(\d{0,2})$/;
const RADIO = /^radio(\d)$/;
/** What a device makes of a section without a name. */
const MADE_ID = /^(?:\d+|cfg[0-9a-f]{4,8})$/;

/** The devices' own names of networks and radios as people say them: `mob1s2a1` as "Mobile, SIM 2". Null: it is none of them. */
export function interfaceTitle(name: string, between = ', '): string | null {
  const [, modem, sim, apn] = MOBILE.exec(name) ?? [];
  if (modem)
    return `Mobile${modem === '1' ? '' : ` ${modem}`}${between}SIM ${sim}${apn === '1' ? '' : `${between}APN ${apn}`}`;
  const [, side, number] = SIDE.exec(name) ?? [];
  if (side) return side.toUpperCase() + (number === '6' ? ' (IPv6)' : number ? ` ${number}` : '');
  const [, radio] = RADIO.exec(name) ?? [];
  return radio ? `Radio ${Number(radio) + 1}` : null;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const textsOf = (value: unknown): readonly string[] =>
  [value].flat().filter((one): one is string => typeof one === 'string' && one !== '' && !MARKER.test(one));

/** One value, short: the words of a form say more after a colon than a line has room for. */
function shortValue(service: string, option: string, value: string): string {
  const known = wordsOfOption(service, option).values;
  if (known && Object.hasOwn(known, value)) return known[value]!.split(/[:,] /)[0]!;
  return interfaceTitle(value, ' ') ?? (option === 'action' ? readable(value) : shownMac(option, value));
}

/**
 * The title of a section: its name where it has one, otherwise what it is.
 * @param service such as `firewall/zones`
 * @param at its place in the list, from 0
 */
export function titleOfSection(service: string, section: Section, at: number): string {
  const { title, one, options, called = NAMES, isOrdered = false } = wordsOfService(service);
  if (one === undefined && options !== undefined && at === 0) return title; // a list that always has one section
  const [id = ''] = textsOf(section['id']);
  const noun = capital(one ?? 'entry');
  const name = called
    .flatMap((option) =>
      textsOf(section[option])
        .slice(0, 1)
        .map((value) => interfaceTitle(value) ?? shortValue(service, option, value)),
    )
    .find((value) => value !== id || !MADE_ID.test(value));
  if (isOrdered) return name ? `${noun} ${at + 1}: ${name}` : `${noun} ${at + 1}`;
  if (name) return /^\d+$/.test(name) ? `${noun} ${name}` : name;
  if (MADE_ID.test(id) || id === '') return `${noun} ${/^\d+$/.test(id) ? id : at + 1}`;
  return interfaceTitle(id) ?? (wordsOfService(service).id === 'given' ? id : readable(id));
}

const PIECES = 4;
const LONGEST = 60;

/** Its telling settings in a line, such as "192.168.1.1/24 · Static"; empty where there are none. */
export function summaryOfSection(service: string, section: Section, title: string): string {
  const { summary } = wordsOfService(service);
  const pieces = summary
    ? summary.flatMap((piece) => filled(service, section, piece) ?? [])
    : firstSettings(service, section, title);
  return pieces
    .filter((piece) => !title.includes(piece))
    .slice(0, summary ? pieces.length : PIECES)
    .map((piece, at) => (at === 0 ? capital(piece) : piece))
    .join(' · ');
}

/** A piece with the values in their places; null where one of them is missing. */
function filled(service: string, section: Section, piece: string): string | null {
  let isWhole = true;
  const text = piece.replaceAll(/\{(\w+)\}/g, (_, option: string, at: number) => {
    const value = settingText(service, section, option, at > 0);
    isWhole &&= value !== '';
    return value;
  });
  return isWhole ? text : null;
}

/** @param isInside it is within a sentence, where words begin with a small letter */
function settingText(service: string, section: Section, option: string, isInside = false): string {
  if (`${option}:set` in section) return '';
  const values = textsOf(section[option]);
  const [first = ''] = values;
  if (option === 'netmask') return prefixOf(first);
  if (isFlag(service, option, first)) return first === '1' ? wordsOfOption(service, option).title : '';
  const hasWords = isInside && wordsOfOption(service, option).values;
  const said = values.map((value) => shortValue(service, option, value)).join(', ');
  const text = hasWords ? said.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()) : said;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const NUMBERS =
  /metric|weight|position|priority|port|interval|limit|^start$|time|count|number|channel|power|mtu|min$|max$|sim$|table|length|size/;

/** `1` and `0` are a yes and a no where the option is not a number or a choice. */
function isFlag(service: string, option: string, value: string): boolean {
  const { values, range, unit } = wordsOfOption(service, option);
  return (value === '0' || value === '1') && !values && !range && !unit && !NUMBERS.test(option);
}

/** `255.255.255.0` as `24`; empty where it is no mask. */
function prefixOf(mask: string): string {
  const parts = mask.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return '';
  const bits = parts.map((part) => part.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(bits) ? String(bits.indexOf('0') < 0 ? 32 : bits.indexOf('0')) : '';
}

/** Of a service that the dictionary does not sum up. */
const firstSettings = (service: string, section: Section, name: string): readonly string[] =>
  Object.keys(section)
    .filter((option) => option !== 'id' && !/[.:]/.test(option) && !/^enabled?$/.test(option))
    .flatMap((option) => {
      const { title, unit } = wordsOfOption(service, option);
      const text = settingText(service, section, option);
      if (text === name) return '';
      if (text === '' || text === title) return text;
      return `${title} ${text}${unit ? ` ${unit}` : ''}`;
    })
    .filter(Boolean);
