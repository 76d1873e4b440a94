import { type components } from '../../../../../src/api-client/api-client.js';
import { wordsOfService } from '../../../../../src/device-api/words/dictionary.js';
import { numberText } from '../../../api/amount-text.js';
import { serviceName } from '../../observed/path-words.js';
import { keyName, titleOf, tokensOf, valueText } from '../item-words.js';
import { type DraftItem, isRecordPath, keyFields, namedOptions, type OptionValue } from './draft-items.js';

/* The settings that devices have, each once, with the values that they have. Pure. */

type Row = Pick<components['schemas']['ObservedSection'], 'section' | 'options'>;

interface FoundValue {
  readonly value: OptionValue;
  readonly devices: number;
}

export interface FoundSetting {
  readonly id: string;
  readonly path: string;
  readonly key: DraftItem['key'];
  /** The id of the section on a device that has it; empty: the path has one section. */
  readonly section: string;
  readonly option: string;
  readonly title: string;
  /** What the device has for it. */
  readonly tokens: string;
  /** The most frequent one first; empty: no device has the setting. */
  readonly values: readonly FoundValue[];
}

/** Fields that name a section and are rarely what is to be fixed. */
const NAMING = ['name', 'username', 'ssid', 'id'];

/** null: nothing tells the section apart. */
function keyOf({ path, options }: { path: string; options: Row['options'] }): DraftItem['key'] | null {
  if (isRecordPath(path)) return {};
  const fields = keyFields(options);
  const field = NAMING.find((one) => fields.includes(one)) ?? fields[0];
  return field === undefined ? null : { [field]: String(options[field]) };
}

interface FoundSection {
  readonly key: DraftItem['key'];
  readonly id: string;
  readonly options: Map<string, Map<string, FoundValue>>;
}

/** @param rows sections of a path on some devices; without any, those of the dictionary where the path has one section @param isOfOne the rows are those of one device: two sections of one name are two */
export function settingsAt(path: string, rows: readonly Row[], isOfOne = false): readonly FoundSetting[] {
  const sections = new Map<string, FoundSection>();
  const sectionOf = (key: DraftItem['key'], id: string) => {
    const name = keyName(key);
    const known = sections.get(name) ?? { key, id, options: new Map<string, Map<string, FoundValue>>() };
    sections.set(name, known);
    return known;
  };
  if (isRecordPath(path)) sectionOf({}, '');
  for (const { section: id, options } of rows) {
    const key = keyOf({ path, options });
    if (key === null) continue;
    const named = sections.get(keyName(key));
    const isTaken = isOfOne && named !== undefined && named.id !== id && !isRecordPath(path);
    const section = sectionOf(isTaken ? { id } : key, id);
    for (const [option, value] of Object.entries(namedOptions(options))) {
      if (Object.hasOwn(key, option)) continue;
      const values = section.options.get(option) ?? new Map<string, FoundValue>();
      const text = JSON.stringify(value);
      values.set(text, { value, devices: (values.get(text)?.devices ?? 0) + 1 });
      section.options.set(option, values);
    }
  }
  const declared = Object.keys(wordsOfService(serviceName(path)).options ?? {});
  return [...sections.values()].flatMap(({ key, id, options }) => {
    const others = declared.filter((option) => !options.has(option) && !Object.hasOwn(key, option));
    return [...options.keys(), ...others].map((option) => ({
      id: JSON.stringify([path, key, option]),
      path,
      key,
      section: id,
      option,
      title: titleOf({ path, key, option }),
      tokens: tokensOf({ path, key, option }),
      values: [...(options.get(option)?.values() ?? [])].toSorted((one, other) => other.devices - one.devices),
    }));
  });
}

const VALUES_SHOWN = 3;

/** `17 × 0.pool.ntp.org, 7 × time.kiosks.example, 1 other value`. */
export function presentText({ path, option, values }: FoundSetting): string {
  if (values.length === 0) return 'set on no device';
  const shown = values
    .slice(0, VALUES_SHOWN)
    .map((one) => `${numberText(one.devices)} × ${valueText(path, option, one.value)}`);
  const more = values.length - shown.length;
  return shown.join(', ') + (more > 0 ? `, and ${numberText(more)} more` : '');
}

/** What the one device has: `now time.example`. */
export const nowText = ({ path, option, values: [now] }: FoundSetting): string =>
  now === undefined ? 'not set now' : `now ${valueText(path, option, now.value)}`;

/** Those with all the words, in their titles, in the device's names for them or in their values; those that devices have first. */
export function searched(settings: readonly FoundSetting[], text: string): readonly FoundSetting[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = settings.filter((one) => {
    const all = `${one.title} ${one.tokens} ${presentText(one)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return [...found.filter(({ values }) => values.length > 0), ...found.filter(({ values }) => values.length === 0)];
}

/** A setting as an item of the draft. */
export const itemOf = ({ path, key, option }: FoundSetting, value: OptionValue): DraftItem => ({
  path,
  key,
  mode: 'has',
  options: { [option]: value },
  sealed: [],
});
