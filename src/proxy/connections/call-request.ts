import { readBulk } from '../../device-api/bulk.js';
import { PATHS, type BulkItem } from '../../device-api/contract.js';
import { readDeviceJson, type UnreadableJson } from '../../device-api/device-json.js';
import { AppError } from '../../platform/errors.js';
import { devicePath, touchesSession, type DevicePath } from './device-path.js';

/*
 * What a request will do on the device, determined before anything is sent. Rights and audit use only this. Pure.
 */

/** One call that the device will execute: the request itself, or one item of a bulk request. */
export interface Act {
  readonly method: string;
  /** Path for rights and audit. */
  readonly path: string;
  readonly query: string;
  readonly writes: boolean;
}

export interface CallRequest {
  readonly method: string;
  readonly path: DevicePath;
  readonly acts: readonly Act[];
  readonly isBulkRequest: boolean;
  /** Whether any act needs the right to write. */
  readonly writes: boolean;
  /** Whether the device may change. False for POSTs that only read: a lost answer then leaves no doubt. */
  readonly changes: boolean;
}

const READING_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** POSTs that change nothing (observed-devices.md 3). They still need the right to write, and are audited. */
const READING_POST =
  /^\/api\/(?:backup\/actions\/download|firmware\/actions\/verify|certificates\/[^/]+\/actions\/download)$/;

export const isReading = (method: string): boolean => READING_METHODS.has(method);

/**
 * Whether a path is that of a bulk request, whose body must be read before authorization. The only comparison of this
 * path: another one could be evaded with a version prefix or another letter case.
 */
export const isBulkPath = (path: DevicePath): boolean => path.authPath.toLowerCase() === PATHS.bulk;

/** @throws AppError `path_refused` with the reason */
export function checkPath(raw: string): DevicePath {
  const verdict = devicePath(raw);
  if (!verdict.ok) throw new AppError('path_refused', { reason: verdict.reason });
  if (touchesSession(verdict.path.authPath)) {
    throw new AppError('path_refused', { reason: 'the gateway logs in and out by itself; its session is shared' });
  }
  return verdict.path;
}

/** The call of a request that is no bulk request. */
export function singleCall(method: string, path: DevicePath): CallRequest {
  const writes = !isReading(method);
  const act = { method, path: path.authPath, query: queryOf(path.sentPath), writes };
  const changes = writes && !(method === 'POST' && READING_POST.test(path.authPath));
  return { method, path, acts: [act], isBulkRequest: false, writes, changes };
}

/**
 * Reads a bulk request item by item.
 * @param body the received bytes
 * @returns the call, and the body to send. The body is written again from the parsed items, so that the device cannot
 *   read the same bytes differently (a duplicate name, for instance).
 * @throws AppError `invalid_json`, `invalid_input`, `path_refused` with the index of the item
 */
export function bulkCall(method: string, path: DevicePath, body: Buffer): { call: CallRequest; body: Buffer } {
  const items = readBulk(parse(body));
  if (!items || method !== 'POST') {
    const detail =
      'POST with data: a list of at most 100 { endpoint, method, data }, methods GET, POST, PUT and DELETE';
    throw new AppError('invalid_input', { errors: [{ pointer: '/body/data', detail }] });
  }
  const acts = items.map((item, index) => actOfItem(item, index));
  const writes = acts.some((act) => act.writes);
  return {
    call: { method, path, acts, isBulkRequest: true, writes, changes: writes },
    body: Buffer.from(
      JSON.stringify({ data: items.map(({ endpoint, method, data }) => ({ endpoint, method, data })) }),
    ),
  };
}

function actOfItem(item: BulkItem, index: number): Act {
  const refuse = (reason: string): never => {
    throw new AppError('path_refused', { reason, item: index });
  };
  const verdict = devicePath(item.endpoint.startsWith('/api/') ? item.endpoint : `/api${item.endpoint}`);
  if (!verdict.ok) return refuse(verdict.reason);
  const { authPath, sentPath } = verdict.path;
  if (touchesSession(authPath)) refuse('a bulk request cannot contain a login or logout');
  if (isBulkPath(verdict.path)) refuse('a bulk request cannot contain a bulk request');
  return { method: item.method, path: authPath, query: queryOf(sentPath), writes: !isReading(item.method) };
}

function parse(body: Buffer): unknown {
  try {
    return readDeviceJson(body);
  } catch (cause) {
    throw new AppError('invalid_json', { reason: (cause as UnreadableJson).message }, { cause });
  }
}

function queryOf(sentPath: string): string {
  const cut = sentPath.indexOf('?');
  return cut < 0 ? '' : sentPath.slice(cut + 1);
}
