import { type ConfigureChange } from '../../jobs/kinds/configure/configure-spec.js';
import { type ObservedSection, sectionsOf } from '../observed/sections.js';
import { type Ignored, type IgnoredNames, NONE_IGNORED } from './ignored.js';
import { keyText, likenessOf, nameOf } from './normal-form.js';
import { isRecordPath, type TemplateItem } from './template-item.js';

/*
 * What differs between a device and the items of its templates, and the changes of the kind `configure` that close it. The items
 * of all templates are taken together, so their order has no effect. Pure.
 */

/** An item with the values of one device. */
export interface DeviceItem extends Pick<TemplateItem, 'path' | 'key' | 'mode' | 'options'> {
  /** `print`: how the device's secret shows in what was observed; null: it cannot be compared, and counts as set. */
  readonly sealed: readonly { readonly option: string; readonly valueId: string; readonly print: string | null }[];
}

/** In the place of a secret that is to be made; it never leaves a plan. */
export const NOT_MADE = '00000000-0000-4000-8000-000000000000';

/** `section`: its id on the device; null: there is none so far. `option` null: the section is to come or to go. */
export interface ItemDifference {
  readonly path: string;
  readonly section: string | null;
  readonly key: TemplateItem['key'];
  readonly option: string | null;
  /** `normalised`: equal in another spelling. `ignored`: let be for a time. Neither is changed. */
  readonly is: 'missing' | 'surplus' | 'different' | 'normalised' | 'ignored';
  readonly wanted: unknown;
  readonly seen: unknown;
  /** Of one that is ignored. */
  readonly ignored?: Ignored;
}

/** Why a device cannot be planned. */
interface PlanProblem {
  readonly code: 'unread' | 'key_ambiguous' | 'section_without_id' | 'id_taken';
  readonly path: string;
  readonly key: TemplateItem['key'];
}

export interface DesiredPlan {
  readonly differences: readonly ItemDifference[];
  /** Empty where there are problems. */
  readonly changes: readonly ConfigureChange[];
  readonly problems: readonly PlanProblem[];
}

/** Whether a difference is none: the device keeps this value in another form. */
export type IsForm = (difference: ItemDifference) => boolean;

interface Draft {
  readonly isForm: IsForm;
  readonly ignored: IgnoredNames;
  readonly differences: ItemDifference[];
  readonly changes: Map<string, ConfigureChange>;
  readonly problems: PlanProblem[];
}

/** Sections go before new ones come: a device may refuse two with one name. */
const TURN = { delete: 0, update: 1, create: 2 } as const;

/** @param bodies what was observed, by path @param isForm of an option that is not as wanted @param ignored what is let be on this device */
export function planDesired(
  items: readonly DeviceItem[],
  bodies: ReadonlyMap<string, unknown>,
  isForm: IsForm = () => false,
  ignored = NONE_IGNORED,
): DesiredPlan {
  const draft: Draft = { isForm, ignored, differences: [], changes: new Map(), problems: [] };
  const ordered = inOrder(items);
  for (const path of new Set(ordered.map((item) => item.path))) {
    const own = ordered.filter((item) => item.path === path);
    if (bodies.has(path)) planPath(path, own, sectionsOf(bodies.get(path)), draft);
    else draft.problems.push({ code: 'unread', path, key: {} });
  }
  const { differences, problems } = draft;
  const sorted = [...draft.changes.values()].toSorted((one, other) => TURN[one.action] - TURN[other.action]);
  return { differences, problems, changes: problems.length > 0 ? [] : sorted };
}

/** Items with one key are one item, and all are in an order of their own. */
function inOrder(items: readonly DeviceItem[]): DeviceItem[] {
  const merged = new Map<string, DeviceItem>();
  for (const item of items) {
    const name = `${item.path} ${keyText(item.key)}`;
    const known = merged.get(name);
    merged.set(name, known ? mergedItem(known, item) : item);
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item);
}

function mergedItem(one: DeviceItem, other: DeviceItem): DeviceItem {
  const mode = one.mode === 'only' || other.mode === 'only' ? 'only' : one.mode;
  return { ...one, mode, options: { ...one.options, ...other.options }, sealed: [...one.sealed, ...other.sealed] };
}

function planPath(path: string, items: readonly DeviceItem[], sections: readonly ObservedSection[], draft: Draft) {
  const named = new Set<string>();
  for (const item of items) {
    const matches = sectionsNamed(item, sections);
    if (matches.length > 1) {
      draft.problems.push({ code: 'key_ambiguous', path, key: item.key });
      continue;
    }
    const [section] = matches;
    if (item.mode === 'absent') {
      if (section) remove(path, section, item.key, draft);
    } else if (section) {
      named.add(section.key);
      update(path, section, item, draft);
    } else create(item, sections, draft);
  }
  if (!items.some(({ mode }) => mode === 'only')) return;
  for (const section of sections) if (!named.has(section.key)) remove(path, section, {}, draft);
}

/** The sections of its path that an item names. */
export const sectionsNamed = (
  { path, key }: Pick<TemplateItem, 'path' | 'key'>,
  sections: readonly ObservedSection[],
): readonly ObservedSection[] =>
  isRecordPath(path) ? sections.slice(0, 1) : sections.filter((section) => hasKey(section, key));

const hasKey = (section: ObservedSection, key: TemplateItem['key']): boolean =>
  Object.entries(key).every(([field, value]) => likenessOf(value, valueIn(section, field)) !== 'different');

/** An option may be called `constructor`. */
const valueIn = ({ options }: ObservedSection, option: string): unknown =>
  Object.hasOwn(options, option) ? options[option] : undefined;

/** The address of a section; null for one that the device shows without an id, or with one that no path can have. */
function itemPath(path: string, { options: { id } }: ObservedSection): string | null {
  if (isRecordPath(path)) return path;
  return typeof id === 'string' && id !== '' && id.isWellFormed() ? `${path}/${encodeURIComponent(id)}` : null;
}

function remove(path: string, section: ObservedSection, key: TemplateItem['key'], draft: Draft): void {
  const at = itemPath(path, section);
  if (at !== null && draft.changes.get(at)?.action === 'delete') return;
  const { key: id, options } = section;
  draft.differences.push({ path, section: id, key, option: null, is: 'surplus', wanted: undefined, seen: options });
  if (at === null) draft.problems.push({ code: 'section_without_id', path, key });
  else draft.changes.set(at, { action: 'delete', path: at });
}

function update(path: string, section: ObservedSection, { key, options, sealed }: DeviceItem, draft: Draft): void {
  const data: Record<string, unknown> = {};
  /** Whether it is to be changed. */
  const note = (option: string, is: ItemDifference['is'], wanted: unknown): boolean => {
    const difference = { path, section: section.key, key, option, is, wanted, seen: valueIn(section, option) };
    if (is !== 'normalised' && draft.isForm(difference)) return false;
    const ignored = is === 'normalised' ? undefined : draft.ignored.get(nameOf(difference));
    draft.differences.push(ignored ? { ...difference, is: 'ignored', ignored } : difference);
    return is !== 'normalised' && !ignored;
  };
  for (const [option, wanted] of Object.entries(options)) {
    const likeness = likenessOf(wanted, valueIn(section, option));
    if (likeness !== 'same' && note(option, likeness, wanted)) data[option] = wanted;
  }
  const secrets = sealed.filter(({ option, valueId, print }) => {
    const seen = valueIn(section, option);
    const isOther = print !== null && (valueId === NOT_MADE || (seen !== undefined && seen !== print));
    return isOther && note(option, 'different', print);
  });
  if (Object.keys(data).length + secrets.length === 0) return;
  const at = itemPath(path, section);
  if (at === null) {
    draft.problems.push({ code: 'section_without_id', path, key });
    return;
  }
  const known = draft.changes.get(at);
  const before = known?.action === 'update' ? known : { data: {}, sealed: [] };
  const values = secrets.map(({ option, valueId }) => ({ option, valueId }));
  const all = { data: { ...before.data, ...data }, sealed: [...before.sealed, ...values] };
  draft.changes.set(at, { action: 'update', path: at, ...all });
}

function create({ path, key, options, sealed }: DeviceItem, sections: readonly ObservedSection[], draft: Draft): void {
  const { id } = key;
  const name = `${path} ${id === undefined ? keyText(key) : `id ${id}`}`;
  if (draft.changes.has(name) || (id !== undefined && sections.some((section) => section.key === id))) {
    draft.problems.push({ code: 'id_taken', path, key });
    return;
  }
  const isSet = (option: string) => !draft.ignored.has(nameOf({ path, key, option }));
  const own = Object.entries(options).filter(([option]) => isSet(option));
  draft.differences.push({
    path,
    section: null,
    key,
    option: null,
    is: 'missing',
    wanted: { ...key, ...Object.fromEntries(own) },
    seen: undefined,
  });
  // Nothing is unset in a new section.
  const set = own.filter(([, value]) => value.length > 0);
  const values = sealed.filter(({ option }) => isSet(option)).map(({ option, valueId }) => ({ option, valueId }));
  draft.changes.set(name, {
    action: 'create',
    path,
    data: { ...key, ...Object.fromEntries(set) },
    sealed: values,
  });
}
