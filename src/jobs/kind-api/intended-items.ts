import { readBulk } from '../../device-api/bulk.js';
import { type DeviceMethod } from '../../device-api/contract.js';
import { devicePath } from '../../proxy/connections/device-path.js';
import { isBulkPath } from '../../proxy/connections/call-request.js';

/*
 * The configuration items that a write sets. They can be read, so the write can be verified before it is sent and after,
 * with or without its answer. An action (`/x/actions/y`) sets no items that can be read. Pure.
 */

export interface Write {
  readonly method: DeviceMethod;
  readonly path: string;
  /** `data` of its body. */
  readonly data?: unknown;
}

/** One configuration item and its intended state. */
export interface IntendedItem {
  /** Its path for reads: `/api/x/config/{id}` or `/api/x/global`. */
  readonly path: string;
  readonly id: string | null;
  /** Options and their values; null: the item must not exist. */
  readonly wanted: Options | null;
}

export type Options = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 16;

/** Fields of an item that are no options. */
export const NO_OPTIONS: ReadonlySet<string> = new Set(['id', '.type']);

/** The items of a write; null when no read can show its result. */
export function intendedItemsOf(write: Write): readonly IntendedItem[] | null {
  const intended = isBulkWrite(write) ? itemsOfBulk(write) : itemsOfOne(write);
  if (!intended || intended.length === 0 || intended.length > MAX_ITEMS) return null;
  const isTwice = new Set(intended.map(({ path }) => path)).size < intended.length;
  return isTwice ? null : intended;
}

/** Options of `wanted` in which an item differs. An absent option equals an empty one. */
export function differing(wanted: Options, seen: Options): string[] {
  return Object.keys(wanted).filter((name) => !NO_OPTIONS.has(name) && !isSame(wanted[name], seen[name]));
}

/** Whether an item has its intended state; `seen` null: it does not exist. */
export function isAttained({ wanted }: IntendedItem, seen: Options | null): boolean {
  if (wanted === null || seen === null) return wanted === null && seen === null;
  return differing(wanted, seen).length === 0;
}

/** Every record with an id in the `data` of an answer, items of a bulk answer included. */
export function recordsIn(data: unknown): Map<string, Options> {
  const found = new Map<string, Options>();
  const visit = (value: unknown, depth: number): void => {
    if (value === null || typeof value !== 'object' || depth > 3) return;
    if (Array.isArray(value)) return value.forEach((item) => visit(item, depth + 1));
    const { id, data: inner } = value as { id?: unknown; data?: unknown };
    if (typeof id === 'string') found.set(id, value as Options);
    else visit(inner, depth + 1);
  };
  visit(data, 0);
  return found;
}

export function isSame(a: unknown, b: unknown): boolean {
  return canonical(blankAsAbsent(a)) === canonical(blankAsAbsent(b));
}

/** A text that is the same for equal values, in any order of fields. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_name, part: unknown) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    ) ?? 'undefined'
  );
}

/** Empty text unsets an option, and unset options are left out of answers (observed-devices.md 1.13). */
function blankAsAbsent(value: unknown): unknown {
  return value === '' || value === null || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

function isBulkWrite({ path }: Write): boolean {
  const verdict = devicePath(path);
  return verdict.ok && isBulkPath(verdict.path);
}

function itemsOfBulk({ data }: Write): IntendedItem[] | null {
  const intended: IntendedItem[] = [];
  for (const { endpoint, method, data: inner } of readBulk({ data }) ?? []) {
    if (method === 'GET') continue;
    const path = endpoint.startsWith('/api/') ? endpoint : `/api${endpoint}`;
    const found = itemsOfOne({ method, path, data: inner });
    if (!found) return null;
    intended.push(...found);
  }
  return intended;
}

function itemsOfOne({ method, path, data }: Write): IntendedItem[] | null {
  const itemPath = bare(path);
  const [last, before] = itemPath.split('/').toReversed();
  if (last === 'global' && method === 'PUT')
    return isOptions(data) ? [{ path: itemPath, id: null, wanted: data }] : null;
  if (before === 'config' && last) return itemAtPath(method, itemPath, decodeURIComponent(last), data);
  if (last === 'config') return itemsInList(method, itemPath, data);
  return null;
}

function itemAtPath(method: DeviceMethod, path: string, id: string, data: unknown): IntendedItem[] | null {
  if (method === 'DELETE') return [{ path, id, wanted: null }];
  return method === 'PUT' && isOptions(data) ? [{ path, id, wanted: data }] : null;
}

/** observed-devices.md 1.11: PUT takes a list of items, DELETE a list of ids; POST makes one, whose id the caller may choose. */
function itemsInList(method: DeviceMethod, path: string, data: unknown): IntendedItem[] | null {
  const items: readonly unknown[] = Array.isArray(data) ? data : [data];
  const intended = items.map((item): IntendedItem | null => {
    const id: unknown = method === 'DELETE' ? item : (item as { id?: unknown } | null | undefined)?.id;
    if (typeof id !== 'string' || id === '') return null;
    const verdict = devicePath(`${path}/${encodeURIComponent(id)}`);
    return verdict.ok
      ? { path: verdict.path.sentPath, id, wanted: method === 'DELETE' ? null : (item as Options) }
      : null;
  });
  return intended.every((aim) => aim !== null) ? intended : null;
}

function bare(path: string): string {
  const cut = path.indexOf('?');
  return (cut < 0 ? path : path.slice(0, cut)).replace(/\/$/, '');
}

export function isOptions(value: unknown): value is Options {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
