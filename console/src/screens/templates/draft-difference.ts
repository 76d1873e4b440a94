import { type components } from '../../../../src/api-client/api-client.js';
import { type Item, keyName, sealedText, valueText } from './item-words.js';

/* A draft beside what is published, item by item. Pure. */

type Schemas = components['schemas'];

export interface OptionLine {
  readonly option: string;
  /** null: it is not there. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ItemLine {
  readonly item: Item;
  readonly state: 'new' | 'changed' | 'removed' | 'same';
  /** Of the published version, where it is another one. */
  readonly modeBefore: Item['mode'] | null;
  readonly options: readonly OptionLine[];
}

const nameOf = ({ path, key }: Item): string => `${path} ${keyName(key)}`;

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

/** @param published null: none was published, so nothing is compared */
export function itemLines(draft: readonly Item[], published: readonly Item[] | null): readonly ItemLine[] {
  const before = new Map((published ?? []).map((item) => [nameOf(item), item]));
  const lines = draft.map((item) => lineOf(item, published ? (before.get(nameOf(item)) ?? null) : item));
  const kept = new Set(draft.map(nameOf));
  const removed = [...before.values()].filter((item) => !kept.has(nameOf(item)));
  return [
    ...lines,
    ...removed.map((item) => ({ item, state: 'removed' as const, modeBefore: null, options: linesOf(item, item) })),
  ];
}

/** @param before null: it is new */
function lineOf(item: Item, before: Item | null): ItemLine {
  const options = linesOf(item, before ?? item);
  if (before === null) return { item, state: 'new', modeBefore: null, options };
  const isSame = JSON.stringify(contentOf(item)) === JSON.stringify(contentOf(before));
  const modeBefore = before.mode === item.mode ? null : before.mode;
  return { item, state: isSame ? 'same' : 'changed', modeBefore, options };
}

const contentOf = ({ mode, options, sealed }: Item) => [
  mode,
  Object.entries(options)
    .map((one) => JSON.stringify(one))
    .toSorted(byText),
  sealed.map((one) => JSON.stringify([one.option, one.valueId ?? null, one.generate ?? null])).toSorted(byText),
];

function linesOf(item: Item, before: Item): readonly OptionLine[] {
  const [now, then] = [textsOf(item), textsOf(before)];
  return [...new Set([...now.keys(), ...then.keys()])].map((option) => ({
    option,
    before: then.get(option) ?? null,
    after: now.get(option) ?? null,
  }));
}

const textsOf = ({ path, options, sealed }: Item): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(options).map(([option, value]) => [option, valueText(path, option, value)] as const),
    ...sealed.map((one) => [one.option, sealedText(one)] as const),
  ]);

type Content = Pick<Schemas['Template'], 'selector' | 'items'>;

/** Whether publishing would make another version. @param published null: none was */
export const isChanged = (draft: Content, published: Content | null): boolean =>
  published === null ||
  draft.selector !== published.selector ||
  draft.items.length !== published.items.length ||
  itemLines(draft.items, published.items).some(({ state }) => state !== 'same');

/** The items with a value as devices write it; null: no item names this option, or its value is of each device. */
export function withSpelling(
  items: readonly Item[],
  { path, key, option, seen }: Schemas['TemplateDifference'],
): readonly Item[] | null {
  const at = items.findIndex((item) => item.path === path && keyName(item.key) === keyName(key));
  const value = option === null ? undefined : items[at]?.options[option];
  const isPlain = (one: unknown): one is string | string[] =>
    typeof one === 'string' || (Array.isArray(one) && one.every((part) => typeof part === 'string'));
  if (option === null || value === undefined || !isPlain(seen) || JSON.stringify(value).includes('{{')) return null;
  return items.map((item, index) => (index === at ? { ...item, options: { ...item.options, [option]: seen } } : item));
}
