import { type AnsweredDevice, type FieldChoice, groupsBy, isIdentity, OWN_NAMES } from './answer-fields.js';

/* Which fields of the answers come first, and in which devices are alike or differ. Pure. */

/** What the question is about, in its order. @param shows the ends of names; `*.` takes those of each entry of a list */
export function askedFields(choices: readonly FieldChoice[], shows: readonly string[]): readonly string[] {
  const found = shows.flatMap((shown) => {
    const end = shown.replace(/^\*\./, '');
    const names = choices.map(({ name }) => name).filter((name) => name === end || name.endsWith(`.${end}`));
    return shown === end ? names.slice(0, 1) : names;
  });
  return [...new Set(found)];
}

const COLUMNS_FIRST = 5;
const ASKED_MAX = 7;

/** What the gateway knows of each device is beside the answers, which are about something else. */
const isKnown = (name: string): boolean => Object.hasOwn(OWN_NAMES, name);

/** Those that the question is about, then the others in the order of the answers, then what the gateway knows. */
function inOrder(choices: readonly FieldChoice[], asked: readonly string[]): readonly FieldChoice[] {
  const rankOf = ({ name }: FieldChoice): number => {
    const at = asked.indexOf(name);
    return at >= 0 ? at : isKnown(name) ? choices.length + 1 : choices.length;
  };
  return choices.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/**
 * The columns before a person has chosen some: what the question is about, also where all devices agree. Then fields in which
 * devices differ, but not each from each other. Of fields that divide the devices in the same way, such as a model and its product
 * code, the first says all.
 */
export function firstColumns(
  choices: readonly FieldChoice[],
  devices: readonly AnsweredDevice[],
  asked: readonly string[] = [],
): readonly string[] {
  const main = inOrder(choices, asked)
    .filter(({ name }) => asked.includes(name))
    .slice(0, ASKED_MAX);
  const others = choices.filter((one) => !isKnown(one.name) && !main.includes(one));
  const differing = others.filter(({ different }) => different > 1 && different < devices.length);
  const telling = distinctFields([...main, ...differing], devices, asked).filter((one) => !main.includes(one));
  const told = new Set([...main, ...telling].map((one) => valuesText(one, devices)));
  const rest = others.filter((one) => {
    if (telling.includes(one) || differing.includes(one)) return false;
    const isNew = !told.has(valuesText(one, devices));
    told.add(valuesText(one, devices));
    return isNew;
  });
  const more = main.length > 0 ? telling : [...telling, ...rest];
  return [...main, ...more].slice(0, Math.max(COLUMNS_FIRST, main.length)).map(({ name }) => name);
}

/** The values of a field, device by device: two fields with the same say the same. */
const valuesText = ({ name }: FieldChoice, devices: readonly AnsweredDevice[]): string =>
  JSON.stringify(devices.map(({ values }) => values.get(name) ?? null));

/** Without those that divide the devices as one before them does; what the question is about stays. */
function distinctFields(
  fields: readonly FieldChoice[],
  devices: readonly AnsweredDevice[],
  asked: readonly string[],
): readonly FieldChoice[] {
  const seen = new Set<string>();
  return inOrder(fields, asked).filter(({ name }) => {
    const numbers = new Map<string | undefined, number>();
    const division = devices.map(({ values }) => {
      const value = values.get(name);
      if (!numbers.has(value)) numbers.set(value, numbers.size);
      return numbers.get(value);
    });
    const key = division.join(' ');
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew || asked.includes(name);
  });
}

export interface Alike {
  /** How many devices each group has that have one value in each of these fields, the largest first. */
  readonly groups: readonly number[];
  /** The devices that are not in the largest group; none where it has no more than half of all. */
  readonly others: readonly AnsweredDevice[];
  /** In which devices differ. */
  readonly fields: readonly string[];
  /** The field by which alone these groups can be told apart. */
  readonly by: string | undefined;
}

/** A field in which nearly each device has another value, such as a temperature, makes no groups. */
const GROUPS_MAX = 0.5;

/** Whether devices differ in a field, and make few groups by it. */
const isGrouping = ({ different }: FieldChoice, total: number): boolean =>
  different > 1 && different <= Math.max(2, total * GROUPS_MAX) && different < total;

/**
 * How many devices are alike, and in which fields the others differ. Where no field makes groups, as of two devices, it is each
 * field with different values; what names the device itself never counts, if each device has its own.
 */
export function alikeOf(
  devices: readonly AnsweredDevice[],
  choices: readonly FieldChoice[],
  asked: readonly string[] = [],
): Alike {
  const total = devices.length;
  const differing = choices.filter(
    ({ name, different }) => different > 1 && !(isIdentity(name) && different === total),
  );
  const grouping = differing.filter((one) => isGrouping(one, total));
  const fields = distinctFields(grouping.length > 0 ? grouping : differing, devices, asked).map(({ name }) => name);
  const keyOf = ({ values }: AnsweredDevice) => JSON.stringify(fields.map((name) => values.get(name)));
  const counts = new Map<string, number>();
  for (const one of devices) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  const [largest, ...rest] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (!largest) return { groups: [], others: [], fields, by: undefined };
  const groups = [largest[1], ...rest.map(([, count]) => count)];
  const isMost = largest[1] * 2 > total;
  const names = [...grouping.map(({ name }) => name).filter((name) => OWN_NAMES.model.test(name)), ...fields];
  return {
    groups,
    others: isMost ? devices.filter((one) => keyOf(one) !== largest[0]) : [],
    fields,
    by: names.find((name) => groupsBy(devices, name).length === groups.length),
  };
}

/** The fields in which devices differ, in the order in which they are told: what the question is about first, also numbers. */
export function differingFields(
  { fields }: Alike,
  choices: readonly FieldChoice[],
  asked: readonly string[],
): readonly string[] {
  const main = asked.filter((name) => choices.some((one) => one.name === name && one.different > 1));
  return [...new Set([...main, ...fields])];
}

/** The fields by which devices can be grouped, the best ones first, and the other ones in which they differ. */
export function groupingFields(
  choices: readonly FieldChoice[],
  total: number,
  asked: readonly string[],
): { readonly first: readonly FieldChoice[]; readonly more: readonly FieldChoice[] } {
  const differing = inOrder(choices, asked).filter(({ different }) => different > 1);
  const isFirst = (one: FieldChoice) => asked.includes(one.name) || isGrouping(one, total);
  return { first: differing.filter(isFirst), more: differing.filter((one) => !isFirst(one)) };
}

interface NumberRange {
  readonly least: number;
  readonly mean: number;
  readonly most: number;
}

/** So many digits are no identifier, such as a serial number or an IMEI. */
const AMOUNT = /^-?\d{1,7}(?:\.\d{1,20})?$/;

/** Of a field with so many different numbers that each says little; null: it has texts, or few values. */
export function rangeOf(devices: readonly AnsweredDevice[], field: string): NumberRange | null {
  const texts = devices.map(({ values }) => values.get(field)).filter((one) => one !== undefined);
  if (new Set(texts).size <= VALUES_EACH || isIdentity(field) || !texts.every((text) => AMOUNT.test(text))) return null;
  const numbers = texts.map(Number);
  const sum = numbers.reduce((all, one) => all + one, 0);
  return { least: Math.min(...numbers), mean: sum / numbers.length, most: Math.max(...numbers) };
}

/** Up to so many values are told one by one. */
export const VALUES_EACH = 3;
