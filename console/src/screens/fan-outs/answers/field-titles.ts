import { firmwareText, interfaceText, sentence } from '../../../api/device-texts.js';
import { toneOfValue } from '../../device-status/bands.js';
import { nameOf, valueText } from '../../device-status/scalars.js';
import { type AnsweredDevice, type FieldChoice, OWN_NAMES } from './answer-fields.js';

/* The fields of answers as people read them. The name as the device has it is the hint beside each. */

const KNOWN: Readonly<Record<string, string>> = {
  answer: 'Answer',
  firmware: 'Firmware today',
  model: 'Model',
  'mnfinfo.batch': 'Batch',
  'mnfinfo.blver': 'Bootloader',
  'mnfinfo.hwver': 'Hardware',
  'mnfinfo.mac': 'MAC address',
  'mnfinfo.macEth': 'MAC address, Ethernet',
  'mnfinfo.name': 'Product code',
  'mnfinfo.serial': 'Serial number',
  'static.cpu_count': 'Processor cores',
  'static.device_name': 'Device name',
  'static.fw_version': 'Firmware version',
  'static.hostname': 'Host name',
  'static.kernel': 'Kernel',
  'static.system': 'Processor',
};

/** Parts that only wrap the others. */
const WRAPPING: ReadonlySet<string> = new Set(['static', 'mnfinfo', 'general', 'config', 'status', 'info', 'memory']);

const CAPITALS =
  /\b(?:api|apn|bssid|cpu|dhcp|dns|gps|iccid|id|imei|imsi|ip|ipv4|ipv6|lan|lte|mac|mtu|ntp|ram|rsrp|rsrq|rssi|sim|sinr|ssid|tcp|udp|uri|url|usb|vpn|wan)\b/gi;

const capitals = (word: string): string => (/^ipv/i.test(word) ? `IPv${word.slice(3)}` : word.toUpperCase());

/** What an entry of a list is called, after the names before it; null: it needs no name. */
type EntryName = (list: string, at: number) => string | null;

/** The first entry is the only one where nothing else is known. */
const byPlace: EntryName = (_, at) => (at === 0 ? null : String(at + 1));

/** `static.release.version` → `Release, version`; `0.rsrp` → `RSRP`, and `1.rsrp` → `2, RSRP`. */
export function fieldTitle(name: string, entryName: EntryName = byPlace): string {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name]!;
  const parts = name.split('.');
  const words = parts.flatMap((part, at) => {
    const isLast = at === parts.length - 1;
    if (!isLast && WRAPPING.has(part)) return [];
    if (!/^\d{1,6}$/.test(part)) return [isLast ? lastText(part) : spaced(interfaceText(part))];
    return entryName(parts.slice(0, at).join('.'), Number(part)) ?? (isLast && at === 0 ? ['Value'] : []);
  });
  return sentence(words.join(', ')).replaceAll(CAPITALS, capitals);
}

/** `macEth`, `fw_version` as words. */
const spaced = (part: string): string =>
  part
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase();

/** As the live status of a device calls it. */
const lastText = (part: string): string => {
  const words = spaced(part);
  const known = nameOf(part).toLowerCase();
  return known === words || known === part.toLowerCase() ? words : known;
};

export type TitleOf = (name: string) => string;

/** The parts of an entry by which a list tells it from the others. */
const ENTRY_NAMES = ['name', 'id', 'interface'];

/** The titles of the fields of these answers. An entry of a list has its name where all devices have the same one there, else its place. */
export function titlesOf(choices: readonly FieldChoice[], devices: readonly AnsweredDevice[]): TitleOf {
  const lists = new Set(choices.flatMap(({ name }) => listsOf(name)));
  const same = new Map(choices.filter(({ different }) => different === 1).map(({ name }) => [name, name]));
  const named = (entry: string): string | undefined => {
    const field = ENTRY_NAMES.map((key) => same.get(`${entry}.${key}`)).find((one) => one !== undefined);
    return field && devices.find(({ values }) => values.has(field))?.values.get(field);
  };
  return (name) =>
    fieldTitle(name, (list, at) => {
      if (!lists.has(list)) return null;
      return interfaceText(named(list === '' ? String(at) : `${list}.${at}`) ?? String(at + 1));
    });
}

/** The lists of which a field is in the second entry, or in one after it. */
function listsOf(name: string): readonly string[] {
  const parts = name.split('.');
  return parts.flatMap((part, at) => (/^[1-9]\d{0,5}$/.test(part) ? [parts.slice(0, at).join('.')] : []));
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** More digits than a person reads. Another text that looks like a number may be a version. */
const LONG_FRACTION = /^-?\d{1,12}\.\d{4,20}$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,20})?$/;

/** A value as the live status of a device shows it, with its unit: `-83` of `0.rsrp` → `−83 dBm`. */
export function shownValue(name: string, value: string): string {
  const key = lastPart(name);
  if (value === 'true' || value === 'false') return valueText(key, value === 'true');
  if (OWN_NAMES.firmware.test(name)) return firmwareText(value);
  if (value === 'null' || value === '[]' || value === '{}') return '–';
  if (NUMBER.test(value)) {
    const text = valueText(key, Number(value));
    if (LONG_FRACTION.test(value) || /[^\d.-]/.test(text)) return text;
  }
  return value;
}

/** How weak or full a value is, as the live status colours it. */
export const toneOfField = (name: string, value: string): 'warn' | 'bad' | null =>
  NUMBER.test(value) ? toneOfValue(lastPart(name), Number(value)) : null;
