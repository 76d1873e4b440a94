import { isMarker } from '../../device-api/redaction-marker.js';
import { keyText } from '../desired/normal-form.js';
import { isRecordPath, type TemplateItem, templateItem } from '../desired/template-item.js';
import { type ObservedSection, sectionsOf } from '../observed/sections.js';
import { type AdoptedField, AdoptedFields } from './adopted-fields.js';
import { areEqual, reasonAgainst, type ReasonOfValues, settingOf } from './adopted-values.js';

/*
 * A template of what some devices have: options that are equal on all of them stay as they are, and those that differ become custom
 * fields. What a template cannot say, or should not, is left out with the reason. Pure.
 */

interface LeftOut {
  readonly path: string;
  readonly key: TemplateItem['key'];
  /** null: the section, or without a key the whole path. */
  readonly option: string | null;
  readonly reason:
    ReasonOfValues | 'no_key' | 'moves' | 'too_many_fields' | 'too_many_items' | 'too_many_options' | 'refused';
}

export interface Adoption {
  readonly items: readonly TemplateItem[];
  /** The values are in the order of the devices. */
  readonly fields: readonly AdoptedField[];
  readonly leftOut: readonly LeftOut[];
}

export interface AdoptionSource {
  readonly paths: readonly string[];
  /** What was observed on each device, by path; each has all paths. */
  readonly devices: readonly ReadonlyMap<string, unknown>[];
  /** Descriptions of the custom fields that there are, by key. */
  readonly fields: ReadonlyMap<string, string>;
  /** How many items a template may have. */
  readonly itemsMax: number;
  /** Whether an option of a path changes again and again, by none of our writes. */
  readonly moves: (path: string, option: string) => boolean;
}

/** A section that all devices have, with its options on each of them. */
interface SharedSection {
  readonly path: string;
  readonly key: TemplateItem['key'];
  readonly onDevices: readonly ObservedSection['options'][];
}

export function adoptionOf(source: AdoptionSource): Adoption {
  const items: TemplateItem[] = [];
  const leftOut: LeftOut[] = [];
  const fields = new AdoptedFields(source.fields);
  for (const section of source.paths.flatMap((path) => sharedSections(source.devices, path, leftOut))) {
    const { path, key } = section;
    if (items.length < source.itemsMax) {
      const item = templateItem.safeParse({ path, key, options: optionsOf(section, source, fields, leftOut) });
      if (item.success) items.push(item.data);
      else if (!isRecordPath(path)) leftOut.push({ path, key, option: null, reason: 'refused' });
    } else leftOut.push({ path, key, option: null, reason: 'too_many_items' });
  }
  return { items, fields: fields.all(), leftOut };
}

function sharedSections(devices: AdoptionSource['devices'], path: string, leftOut: LeftOut[]): SharedSection[] {
  const all = devices.map((bodies) => sectionsOf(bodies.get(path)));
  if (isRecordPath(path)) {
    const onDevices = all.flatMap((sections) => sections.slice(0, 1).map(({ options }) => options));
    return onDevices.length === devices.length ? [{ path, key: {}, onDevices }] : [];
  }
  const field = keyFieldOf(all);
  if (field === null) {
    if (all.flat().length > 0) leftOut.push({ path, key: {}, option: null, reason: 'no_key' });
    return [];
  }
  const byKey = new Map<string, ObservedSection['options'][]>();
  for (const { options } of all.flat()) {
    const text = keyText({ [field]: options[field] as string });
    byKey.set(text, [...(byKey.get(text) ?? []), options]);
  }
  return [...byKey.values()].flatMap((onDevices) => {
    const key = { [field]: onDevices[0]![field] as string };
    if (onDevices.length === devices.length) return [{ path, key, onDevices }];
    leftOut.push({ path, key, option: null, reason: 'not_on_all' });
    return [];
  });
}

/** What people name sections by; any other field comes after these, the id last. */
const KEYS = ['name', 'hostname', 'domain', 'ifname', 'username', 'title'];
function rankOf(name: string): number {
  if (name === 'id') return KEYS.length + 1;
  return KEYS.includes(name) ? KEYS.indexOf(name) : KEYS.length;
}

/** The field that tells the sections of each device apart, and by which most of them are on all devices; null: none does. */
function keyFieldOf(all: readonly (readonly ObservedSection[])[]): string | null {
  let best: { readonly name: string; readonly shared: number } | null = null;
  const [first] = all.flat(); // a key is in every section
  for (const name of Object.keys(first?.options ?? {}).sort(
    (one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1),
  )) {
    const shared = sharedBy(name, all);
    if (shared !== null && shared > (best?.shared ?? -1)) best = { name, shared };
  }
  return best?.name ?? null;
}

/** How many values of a field are on all devices; null: it is not a key. */
function sharedBy(field: string, all: readonly (readonly ObservedSection[])[]): number | null {
  if (isNoOption(field) && field !== 'id') return null;
  const isKey = (value: unknown) => typeof value === 'string' && value !== '' && !isMarker(value);
  if (!all.every((sections) => sections.every(({ options }) => isKey(options[field])))) return null;
  const texts = all.map((own) => own.map(({ options }) => keyText({ [field]: options[field] as string })));
  const [first = new Set<string>(), ...others] = texts.map((own) => new Set(own));
  if ([first, ...others].some((own, device) => own.size < texts[device]!.length)) return null;
  return [...first].filter((text) => others.every((own) => own.has(text))).length;
}

/** Each is judged as a change of its own, and devices choose how many they have. */
const OPTIONS_MAX = 128;

/** Not an option of a section. */
const isNoOption = (name: string): boolean => name === 'id' || name.startsWith('.') || name.endsWith(':set');

function optionsOf(
  { path, key, onDevices }: SharedSection,
  { moves }: AdoptionSource,
  fields: AdoptedFields,
  leftOut: LeftOut[],
): TemplateItem['options'] {
  const options: TemplateItem['options'] = {};
  const names = new Set(onDevices.flatMap((section) => Object.keys(section)));
  const all = [...names].filter((name) => !isNoOption(name) && !Object.hasOwn(key, name)).sort();
  if (all.length > OPTIONS_MAX) leftOut.push({ path, key, option: null, reason: 'too_many_options' });
  for (const option of all.slice(0, OPTIONS_MAX)) {
    const values = onDevices.map((section) => section[option]);
    const leaveOut = (reason: LeftOut['reason']) => leftOut.push({ path, key, option, reason });
    const reason = moves(path, option) ? 'moves' : reasonAgainst(values);
    if (reason !== null) {
      leaveOut(reason);
      continue;
    }
    const settings = values.map((value) => settingOf(value)!);
    const differs = !areEqual(settings);
    const setting = differs ? fields.add({ path, key, option }, settings as string[]) : settings[0]!;
    if (setting === null) leaveOut('too_many_fields');
    else if (templateItem.safeParse({ path, key, options: { [option]: setting } }).success) options[option] = setting;
    else {
      if (differs) fields.takeBack();
      leaveOut('refused');
    }
  }
  return options;
}
