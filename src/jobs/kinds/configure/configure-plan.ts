import { z } from 'zod';
import { type BulkItem } from '../../../device-api/contract.js';
import { type Facts } from '../../../platform/errors.js';
import { canonical, differing, isSame, type Options, isOptions, NO_OPTIONS } from '../../kind-api/intended-items.js';
import { bare, type ConfigureChange, itemOf } from './configure-spec.js';

/*
 * A guarded change as data: the earlier state, the intended state, the state on the device, and the undoing changes.
 * Pure: secrets come in opened, for one comparison only; the plan has their ids and fingerprints.
 */

/** An item as it was. The values of secret options are sealed, with a fingerprint to compare by. */
const snapshot = z.object({
  options: z.record(z.string(), z.unknown()),
  sealed: z.record(z.string(), z.string()),
  prints: z.record(z.string(), z.string()),
});
export type Snapshot = z.infer<typeof snapshot>;

export const plannedChange = z.object({
  /** Its index in the spec. */
  index: z.number().int(),
  action: z.enum(['create', 'update', 'delete']),
  /** The path of the request: the collection for a new item, else the item. */
  path: z.string(),
  data: z.record(z.string(), z.unknown()),
  sealed: z.array(z.object({ option: z.string(), valueId: z.string() })),
  /** Null: the item did not exist. */
  before: snapshot.nullable(),
  /** Where the device gives ids: those that its items had. An item with another id is a new one. Null: ids are kept. */
  known: z.array(z.string()).nullable(),
  /** The new item's id from the device. */
  made: z.string().nullable(),
  /** Fingerprints of options that the device stored in another form. */
  forms: z.record(z.string(), z.string()),
});
export type PlannedChange = z.infer<typeof plannedChange>;

/** The state of a change on a device, as results show it. `held`: the intended state. `as_before`: the earlier one. */
export type State = 'held' | 'as_before' | 'other';

/** What a read found for one change. */
export interface FoundItems {
  /** Null: the item does not exist. */
  readonly item: Options | null;
  /** All items of the collection, where the device gives ids. */
  readonly all: readonly Options[];
}

/** Access to secrets for a comparison: by the ids of their sealed values, and as fingerprints. */
export interface SecretReader {
  readonly opened: ReadonlyMap<string, string>;
  /** A text that is the same for equal values and reveals no secret. */
  readonly print: (value: unknown) => string;
}

/** Ids that devices make themselves; an item with one of those cannot be created again under it. */
const GIVEN_ID = /^(?:\d{1,6}|cfg[0-9a-f]{4,10})$/;

/** Whether the device chooses the id of such an item, so that it must be searched among all items of the collection. */
export function isLoose(change: ConfigureChange): boolean {
  const item = itemOf(change);
  return item === null || (change.action === 'delete' && GIVEN_ID.test(idIn(item)));
}

export function readOf(change: ConfigureChange): BulkItem {
  const item = itemOf(change);
  return { method: 'GET', endpoint: item === null || isLoose(change) ? collectionOf(change) : item };
}

/** The item in the answer to `readOf`. */
export function seenIn(change: ConfigureChange, data: unknown): FoundItems {
  if (!isLoose(change)) return { item: isOptions(data) ? data : Array.isArray(data) ? {} : null, all: [] };
  const all = Array.isArray(data) ? data.filter(isOptions) : [];
  const item = itemOf(change);
  return { item: item === null ? null : (all.find(({ id }) => id === idIn(item)) ?? null), all };
}

/** Whether a device already has everything that a change requests. */
export function isFulfilled(change: ConfigureChange, { item, all }: FoundItems, reader: SecretReader): boolean {
  if (change.action === 'delete') return item === null;
  const wanted = wantedOf(change, reader);
  const candidates = change.action === 'create' && itemOf(change) === null ? all : [item];
  return candidates.some((one) => one !== null && differing(wanted, one).length === 0);
}

/** The states of the planned changes, in order. */
export function statesOf(plan: readonly PlannedChange[], seen: readonly FoundItems[], reader: SecretReader): State[] {
  const claimed = new Set<string>();
  return plan.map((change, index) => stateOf(change, seen[index]!, reader, claimed));
}

function stateOf(change: PlannedChange, seen: FoundItems, reader: SecretReader, claimed: Set<string>): State {
  if (change.action === 'update') return stateOfUpdate(change, seen.item, reader);
  const found = find(change, seen, reader, claimed);
  if (change.action === 'delete') return found ? 'as_before' : 'held';
  if (!found) return 'as_before';
  return unlike(change, found, reader).length === 0 ? 'held' : 'other';
}

function stateOfUpdate(change: PlannedChange, item: Options | null, reader: SecretReader): State {
  if (item === null) return 'other';
  if (unlike(change, item, reader).length === 0) return 'held';
  return isBack(change, { item, all: [] }, reader) ? 'as_before' : 'other';
}

/** Whether an item is as it was before the change, as far as that can be seen. */
export function isBack(change: PlannedChange, seen: FoundItems, reader: SecretReader): boolean {
  if (change.action !== 'update') return (find(change, seen, reader) !== null) === (change.action === 'delete');
  const { item } = seen;
  return item !== null && touched(change).every((name) => isAsItWas(change, name, item, reader));
}

/** The item that a change made, or that it is to remove; one that was put back may have another id. */
export function find(
  change: PlannedChange,
  seen: FoundItems,
  reader: SecretReader,
  claimed = new Set<string>(),
): Options | null {
  if (change.known === null) return seen.item;
  const known = new Set(change.known);
  const isNew = ({ id }: Options) => typeof id === 'string' && !known.has(id) && !claimed.has(id);
  const found =
    change.action === 'delete'
      ? (seen.item ?? seen.all.find((one) => isNew(one) && isPutBack(change, one)))
      : change.made === null
        ? seen.all.find((one) => isNew(one) && unlike(change, one, reader).length === 0)
        : seen.all.find(({ id }) => id === change.made);
  if (typeof found?.['id'] === 'string') claimed.add(found['id']);
  return found ?? null;
}

function isPutBack({ before }: PlannedChange, item: Options): boolean {
  const named = Object.entries(before?.options ?? {}).filter(([name]) => !NO_OPTIONS.has(name));
  return named.length > 0 && named.every(([name, value]) => isSame(value, item[name]));
}

/** Options that differ from the intended ones. A secret that the device does not show counts as set. */
export function unlike(change: PlannedChange, item: Options, reader: SecretReader): string[] {
  return differing(wantedOf(change, reader), item).filter(
    (name) =>
      !(item[name] === undefined && change.sealed.some(({ option }) => option === name)) &&
      change.forms[name] !== reader.print(item[name]),
  );
}

function isAsItWas({ before }: PlannedChange, name: string, item: Options, reader: SecretReader): boolean {
  const print = before?.prints[name];
  return print === undefined ? isSame(before?.options[name], item[name]) : print === reader.print(item[name]);
}

const touched = ({ data, sealed }: PlannedChange) => [...Object.keys(data), ...sealed.map(({ option }) => option)];

function wantedOf({ data, sealed }: Pick<PlannedChange, 'data' | 'sealed'>, { opened }: SecretReader): Options {
  const secrets = sealed.map(({ option, valueId }) => [option, opened.get(valueId)]);
  return { ...data, ...Object.fromEntries(secrets) };
}

/** The bulk items of changes, with secrets in clear, only for one request. */
export function requestsOf(changes: readonly ConfigureChange[], opened: ReadonlyMap<string, string>): BulkItem[] {
  const reader = { opened, print: () => '' };
  return changes.map((change) => {
    if (change.action === 'delete') return { method: 'DELETE', endpoint: change.path };
    const method = change.action === 'create' ? 'POST' : 'PUT';
    return { method, endpoint: change.path, data: wantedOf(change, reader) };
  });
}

export function asChange({ action, path, data, sealed }: PlannedChange): ConfigureChange {
  return action === 'delete' ? { action, path } : { action, path, data, sealed };
}

/** The changes that undo a plan, last one first; a spec of this kind accepts them. */
export function inverseOf(plan: readonly PlannedChange[]): ConfigureChange[] {
  return plan.toReversed().flatMap((change) => {
    const one = inverse(change);
    return one ? [one] : [];
  });
}

function inverse(change: PlannedChange): ConfigureChange | null {
  const { action, path, before } = change;
  switch (action) {
    case 'create': {
      const item = change.made === null ? itemOf(asChange(change)) : `${path}/${encodeURIComponent(change.made)}`;
      return item === null ? null : { action: 'delete', path: item };
    }
    case 'update': {
      const { options, sealed } = before!;
      const names = touched(change);
      const open = names.filter((name) => !Object.hasOwn(sealed, name));
      return {
        action: 'update',
        path,
        // Empty text, or an empty list, unsets an option that was not set (observed-devices.md 1.13).
        data: Object.fromEntries(
          open.map((name) => [name, options[name] ?? (Array.isArray(change.data[name]) ? [] : '')]),
        ),
        sealed: sealedOf(sealed, names),
      };
    }
    case 'delete': {
      const { id, ['.type']: _type, ...options } = before!.options;
      const data = change.known === null ? { id: id ?? idIn(path), ...options } : options;
      return { action: 'create', path: parentOf(path), data, sealed: sealedOf(before!.sealed) };
    }
  }
}

function sealedOf(sealed: Snapshot['sealed'], names = Object.keys(sealed)) {
  const kept = names.filter((name) => Object.hasOwn(sealed, name));
  return kept.map((option) => ({ option, valueId: sealed[option]! }));
}

/** The effect of a change on the options of its item, for people; secrets are hidden before. */
export function differenceOf(
  change: ConfigureChange,
  item: Options | null,
  redacted: <Value>(value: Value) => Value,
): Facts {
  const was: Options = redacted(item) ?? {};
  if (change.action === 'delete') return { action: change.action, path: change.path, removes: was };
  const sealed = Object.fromEntries(change.sealed.map(({ option }) => [option, 'a sealed value']));
  const wanted = { ...change.data, ...sealed };
  const names = item === null ? Object.keys(wanted) : [...differing(change.data, item), ...Object.keys(sealed)];
  const changed = names.map((name) => [name, { from: was[name] ?? null, to: wanted[name] }]);
  return { action: change.action, path: change.path, options: Object.fromEntries(changed) as Facts };
}

/** Options of an item whose values must not be stored in clear. */
export function secretOptions(item: Options, hidden: Options): string[] {
  return Object.keys(item).filter((name) => canonical(item[name]) !== canonical(hidden[name]));
}

function collectionOf(change: ConfigureChange): string {
  return change.action === 'create' ? bare(change.path) : parentOf(bare(change.path));
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

const idIn = (path: string) => decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
