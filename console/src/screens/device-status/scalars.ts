import { shownMac } from '../../../../src/device-api/mac.js';
import { readable } from '../../../../src/device-api/words/readable.js';
import { bytesText, signedText } from '../../api/amount-text.js';
import { uptimeText } from './instruments.js';

/* All values of an answer of a device, in groups, with names and units where their meaning is known. Pure. */

export interface ValueGroup {
  /** Empty: values that are in no part of the answer. */
  readonly title: string;
  readonly values: readonly (readonly [name: string, text: string])[];
}

/** Deeper values are left out: an answer of a device is hostile. */
const DEPTH_MAX = 6;

/**
 * @param noun what an entry of a list is, such as `Modem`
 * @param most how many values at most
 */
export function valueGroups(answer: unknown, noun: string, most: number): readonly ValueGroup[] {
  const groups = new Map<string, [string, string][]>();
  let count = 0;
  const add = (title: string, name: string, text: string): void => {
    if (count === most) return;
    count += 1;
    groups.set(title, [...(groups.get(title) ?? []), [name, text]]);
  };
  const visit = (one: unknown, title: string, names: readonly string[], key: string): void => {
    if (count === most || names.length > DEPTH_MAX) return;
    const name = names.join(' › ') || 'Value';
    if (!isParts(one)) add(title, name, valueText(key, one));
    else if (isLine(one)) add(title, name, one.map((part) => valueText(key, part)).join(', ') || '–');
    else
      for (const [inner, value] of Object.entries(one)) {
        const called = Array.isArray(one) ? String(Number(inner) + 1) : nameOf(inner);
        visit(value, title, [...names, called], Array.isArray(one) ? key : inner);
      }
  };
  for (const [key, value] of isParts(answer) ? Object.entries(answer) : [['', answer] as const]) {
    const called = Array.isArray(answer) ? `${noun} ${Number(key) + 1}` : nameOf(key);
    if (Array.isArray(answer) && isLine(value)) add('', ...rowOf(value));
    else if (isParts(value) && !isLine(value)) visit(value, called, [], key);
    else visit(value, '', called === '' ? [] : [called], key);
  }
  return [...groups].map(([title, values]) => ({ title, values }));
}

/** The values with all these words, in their names, their groups or as they are. */
export function valuesWith(groups: readonly ValueGroup[], text: string): readonly ValueGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map(({ title, values }) => ({
      title,
      values: values.filter((parts) => {
        const all = [title, ...parts].join(' ').toLowerCase();
        return words.every((word) => all.includes(word));
      }),
    }))
    .filter(({ values }) => values.length > 0);
}

export const valueCount = (groups: readonly ValueGroup[]): number =>
  groups.reduce((sum, { values }) => sum + values.length, 0);

const isParts = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A list of single values, which is one line. */
const isLine = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every((one) => !isParts(one));

/** A row of counted bytes: `[seconds, received, sent]`. */
function rowOf([at, ...amounts]: readonly unknown[]): readonly [name: string, text: string] {
  const texts = amounts.map((amount) => (typeof amount === 'number' ? bytesText(amount) : valueText('', amount)));
  return [valueText('time', at), texts.length === 2 ? `${texts[0]} received, ${texts[1]} sent` : texts.join(', ')];
}

const unit = (text: string, digits = 2) => {
  return (value: number): string => `${signedText(value, digits)} ${text}`;
};

/** What devices call by short names: its title, and its number as a text. */
const KNOWN: Readonly<Record<string, readonly [title: string, textOf?: (value: number) => string]>> = {
  mnfinfo: ['Manufacturer'],
  static: ['System'],
  macEth: ['MAC of the network port'],
  macaddr: ['MAC address'],
  hwver: ['Hardware version'],
  blver: ['Bootloader'],
  fw_version: ['Firmware'],
  fw_build_date: ['Firmware built'],
  cpu_count: ['Processors'],
  oper: ['Operator'],
  conntype: ['Connection'],
  ntype: ['Network'],
  simstate: ['SIM state'],
  cellid: ['Cell'],
  rsrp: ['RSRP', unit('dBm')],
  rsrq: ['RSRQ', unit('dB')],
  sinr: ['SINR', unit('dB')],
  active_sim: ['SIM in use'],
  ipaddrs: ['IP addresses'],
  num_assoc: ['Clients'],
  ssid: ['SSID'],
  rssi: ['Signal (RSSI)', unit('dBm')],
  signal: ['Signal (RSSI)', unit('dBm')],
  temperature: ['Temperature', unit('°C')],
  txbytes: ['Sent', bytesText],
  rxbytes: ['Received', bytesText],
  tx_bytes: ['Sent', bytesText],
  rx_bytes: ['Received', bytesText],
  uptime: ['Uptime, exactly'],
  uptime_seconds: ['Uptime', uptimeText],
  localtime: ['Its clock'],
  imei: ['IMEI'],
  imsi: ['IMSI'],
  iccid: ['ICCID'],
  lac: ['Location area'],
  cfg_version: ['Version of its settings'],
  min1: ['1 minute'],
  min5: ['5 minutes'],
  min15: ['15 minutes'],
};

const knownOf = (key: string) => (Object.hasOwn(KNOWN, key) ? KNOWN[key] : undefined);

/** What a device calls by this name. */
export const nameOf = (key: string): string =>
  knownOf(key)?.[0] ??
  readable(key.slice(0, 64))
    .replace(/^Ram /, 'Memory ')
    .replace(/ percentage$/, ' in use');

const MEMORY = /^(?:ram|flash)_(?:total|used|free|buffered|shared)$/;

/** Instants in seconds, by their names and their size: bytes are as large. */
const INSTANT = /time|date|since|expire/;
const SECONDS = { from: 1_000_000_000, to: 4_200_000_000 } as const;

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A value with its unit, where the meaning of its name is known. */
export function valueText(key: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || value === undefined || value === '' || value === 'N/A') return '–';
  if (typeof value === 'string') return shownMac(key, value);
  if (typeof value !== 'number') return JSON.stringify(value);
  if (INSTANT.test(key) && value >= SECONDS.from && value <= SECONDS.to) return TIME.format(value * 1_000);
  const textOf = knownOf(key)?.[1];
  if (textOf) return textOf(value);
  if (key.endsWith('_percentage')) return unit('%')(value);
  if (MEMORY.test(key)) return unit('MiB')(value);
  // A number without a known meaning may be an identifier: it has no separators.
  return String(Math.round(value * 100) / 100);
}
