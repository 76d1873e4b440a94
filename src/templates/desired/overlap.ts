import { keyText, likenessOf } from './normal-form.js';
import { type TemplateItem } from './template-item.js';

/*
 * Whether two templates say something of the same option of the same section of one device. Then neither is published: no weight
 * decides between them. Keys by different fields may name the same section, so they count as if they did; and so do keys with
 * values of the device, since those change after publishing. Pure.
 */

type OverlappingItem = Pick<TemplateItem, 'path' | 'key' | 'mode' | 'options'> & {
  readonly sealed: readonly { readonly option: string }[];
};

/** One thing that two templates both decide; `option` null: whether the section is there. */
export interface Overlap {
  readonly path: string;
  readonly key: TemplateItem['key'];
  readonly option: string | null;
}

/** The overlaps of two templates on a device that both reach; in an order that does not depend on theirs. */
export function overlapsOf(one: readonly OverlappingItem[], other: readonly OverlappingItem[]): Overlap[] {
  const found = one.flatMap((item) => other.flatMap((rival) => between(item, rival)));
  const removed = [...removedBy(one, other), ...removedBy(other, one)];
  const unique = new Map([...found, ...removed].map((overlap) => [textOf(overlap), overlap]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, overlap]) => overlap);
}

/** Items of one template that decide the same thing. */
export function contradictionsIn(items: readonly OverlappingItem[]): Overlap[] {
  return items.flatMap((item, index) => items.slice(index + 1).flatMap((other) => between(item, other)));
}

/** A value that each device fills in. */
const isOpen = (value: string | undefined): boolean => value?.includes('{{') ?? false;

/** Whether one section can have both keys: no field has two values. */
function mayBeSame(one: TemplateItem['key'], other: TemplateItem['key']): boolean {
  return Object.entries(one).every(
    ([field, value]) =>
      !Object.hasOwn(other, field) ||
      isOpen(value) ||
      isOpen(other[field]) ||
      likenessOf(value, other[field]) !== 'different',
  );
}

function between(item: OverlappingItem, rival: OverlappingItem): Overlap[] {
  if (item.path !== rival.path || !mayBeSame(item.key, rival.key)) return [];
  const { path } = item;
  const key = keyOfBoth(item, rival);
  const isAbsent = item.mode === 'absent';
  if (isAbsent !== (rival.mode === 'absent')) return [{ path, key, option: null }];
  const others = new Set(namesOf(rival));
  const twice = namesOf(item).filter((name) => others.has(name));
  // An option that is a field of the other key would take the section away from it.
  const moved = [
    ...namesOf(item).filter((name) => Object.hasOwn(rival.key, name)),
    ...namesOf(rival).filter((name) => Object.hasOwn(item.key, name)),
  ];
  return [...new Set([...twice, ...moved])].map((option) => ({ path, key, option }));
}

/** The sections of one template that the other would remove, since it allows only its own. */
function removedBy(sole: readonly OverlappingItem[], others: readonly OverlappingItem[]): Overlap[] {
  const paths = new Set(sole.filter(({ mode }) => mode === 'only').map(({ path }) => path));
  return others
    .filter(({ path, mode }) => paths.has(path) && mode !== 'absent')
    .filter((other) => !sole.some((item) => item.path === other.path && isSameKey(item.key, other.key)))
    .map(({ path, key }) => ({ path, key, option: null }));
}

/** Only then does one item surely name the section of the other. */
const isSameKey = (one: TemplateItem['key'], other: TemplateItem['key']): boolean => keyText(one) === keyText(other);

const namesOf = ({ options, sealed }: OverlappingItem): string[] => [
  ...Object.keys(options),
  ...sealed.map(({ option }) => option),
];

function keyOfBoth({ key }: OverlappingItem, { key: other }: OverlappingItem): TemplateItem['key'] {
  return keyText(key) <= keyText(other) ? key : other;
}

const textOf = ({ path, key, option }: Overlap): string => JSON.stringify([path, keyText(key), option]);
