import { shownMac } from '../../../../../src/device-api/mac.js';

/* The answers of many devices as a table: their fields as columns, groups by a value, and what differs between two groups. */

export type Values = ReadonlyMap<string, string>;

export interface AnsweredDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly outcome: string;
  /** Of its answer; null where none is stored. */
  readonly digest?: string | null;
  /** Of its call; absent where it is not known. */
  readonly status?: number | null;
  readonly ms?: number | null;
  /** Whether it does not answer now: its answer is of the time of the query. */
  readonly isAway?: boolean;
  /** Of its answer, by the names of the fields; empty where it has none. */
  readonly values: Values;
}

/** Deeper and longer answers are read in the panel of one answer. */
const DEPTH_MAX = 8;
const FIELDS_MAX = 400;

/** The fields of an answer by their names, such as `static.fw_version` or `0.rsrp`. What every answer wraps is left out. */
export function valuesOf(body: unknown): Values {
  const found = new Map<string, string>();
  collect(unwrapped(body), '', found, 0);
  return found;
}

function unwrapped(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'data' in body ? body.data : body;
}

function collect(value: unknown, name: string, found: Map<string, string>, depth: number): void {
  if (found.size >= FIELDS_MAX) return;
  const isFlat = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  if (isFlat)
    return void found.set(name || 'answer', typeof value === 'string' ? shownMac(name, value) : textOf(value));
  if (depth >= DEPTH_MAX) return void found.set(name, '…');
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return void found.set(name, value.map(textOf).join(', '));
  for (const [key, one] of Object.entries(value)) collect(one, name ? `${name}.${key}` : key, found, depth + 1);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** What the gateway itself knows of a device. */
export interface Known {
  readonly firmware: string | null;
  readonly model: string | null;
}

/** The last part of the names by which devices themselves tell these facts. */
export const OWN_NAMES: Readonly<Record<keyof Known, RegExp>> = {
  firmware: /(?:^|\.)(?:firmware|fw_version)$/,
  model: /(?:^|\.)model$/,
};

/** The values with the firmware and the model of today before them, as far as the answer does not tell them: it is of its own time. */
export function withKnown(known: Known | undefined, values: Values): Values {
  const names = [...values.keys()];
  const isTold = (fact: string) => names.some((name) => OWN_NAMES[fact as keyof Known].test(name));
  const own = Object.entries(known ?? {}).filter(([name, value]) => value !== null && !isTold(name));
  return new Map([...(own as [string, string][]), ...values]);
}

export interface FieldChoice {
  readonly name: string;
  /** How many different values the devices have. */
  readonly different: number;
}

/** All fields in the order of the answers. */
export function fieldChoices(devices: readonly AnsweredDevice[]): readonly FieldChoice[] {
  const seen = new Map<string, Set<string>>();
  for (const { values } of devices)
    for (const [name, value] of values) {
      const known = seen.get(name) ?? new Set();
      seen.set(name, known.add(value));
    }
  return [...seen].map(([name, values]) => ({ name, different: values.size }));
}

/** The values that more than half of the devices have, by their fields: what differs from them stands out. */
export function usualValues(devices: readonly AnsweredDevice[], names: readonly string[]): Values {
  const usual = new Map<string, string>();
  for (const name of names) {
    const [first] = groupsBy(devices, name);
    const isUsual = first !== undefined && first.devices.length * 2 > devices.length;
    if (isUsual && first.devices.length < devices.length) usual.set(name, first.value);
  }
  return usual;
}

export interface ValueGroup {
  readonly value: string;
  readonly devices: readonly AnsweredDevice[];
}

/** Devices by their value of a field, the largest group first; null values are `–`. */
export function groupsBy(devices: readonly AnsweredDevice[], field: string): readonly ValueGroup[] {
  const groups = new Map<string, AnsweredDevice[]>();
  for (const one of devices) {
    const value = one.values.get(field) ?? '–';
    groups.set(value, [...(groups.get(value) ?? []), one]);
  }
  return [...groups]
    .map(([value, members]) => ({ value, devices: members }))
    .toSorted((a, b) => b.devices.length - a.devices.length || a.value.localeCompare(b.value));
}

/** The last part of the names of what each device has for itself: it differs on devices that are set alike. */
const IDENTITY =
  /^(?:serial|serial_number|mac\w*|imei|imsi|iccid|uuid|id|name|device_?name|host_?name|ip|ip_?address|address)$/i;

/** Whether a field names the device itself. */
export const isIdentity = (name: string): boolean => IDENTITY.test(name.slice(name.lastIndexOf('.') + 1).slice(0, 40));

export interface FieldDifference {
  readonly field: string;
  readonly a: string;
  readonly b: string;
  /** Whether the question is about it, or each group agrees in it. */
  readonly isMain: boolean;
}

const VALUES_SHOWN = 3;

/**
 * The fields of which two groups have no value in common; first those that the question is about, then those in which each group
 * agrees, last serial numbers and such.
 */
export function differencesOf(a: ValueGroup, b: ValueGroup, asked: readonly string[] = []): readonly FieldDifference[] {
  const names = new Set([...a.devices, ...b.devices].flatMap(({ values }) => [...values.keys()]));
  const found = [...names].flatMap((field) => {
    const [left, right] = [a, b].map((group) => new Set(group.devices.map(({ values }) => values.get(field) ?? '–')));
    if (!left || !right || [...left].some((value) => right.has(value))) return [];
    const isMain = asked.includes(field);
    const agrees = left.size + right.size === 2 && !isIdentity(field);
    const rank = isMain ? 0 : isIdentity(field) ? Number.MAX_SAFE_INTEGER : left.size + right.size;
    return [{ rank, difference: { field, a: someOf(left), b: someOf(right), isMain: isMain || agrees } }];
  });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ difference }) => difference);
}

function someOf(values: ReadonlySet<string>): string {
  const shown = [...values].slice(0, VALUES_SHOWN).join(', ');
  return values.size > VALUES_SHOWN ? `${shown} and ${values.size - VALUES_SHOWN} more` : shown;
}

/** A file for a table program. A text that it would take for a formula gets an apostrophe. */
export function csvOf(devices: readonly AnsweredDevice[], columns: readonly string[]): string {
  const rows = devices.map(({ name, outcome, values }) => [
    name,
    outcome,
    ...columns.map((column) => values.get(column) ?? ''),
  ]);
  return [['device', 'outcome', ...columns], ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(?:\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
