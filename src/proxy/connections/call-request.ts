import { bulkItem, MAX_BULK_ITEMS, PATHS, type BulkItem } from '../../device-api/contract.js';
import { readRequestJson, type UnreadableJson } from '../../device-api/device-json.js';
import { mayHoldSecrets } from '../../device-api/redaction.js';
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
  /** Whether its answer can contain secrets. */
  readonly mayHoldSecrets: boolean;
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
 * path: another one could be evaded with a version prefix (`/api/v1/…`) or another letter case.
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
  const act = actOf(method, path, writes);
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
  const { call, body: checked, refused } = bulkItems(method, path, body, () => undefined);
  if (refused[0]) throw refused[0].error;
  return { call, body: checked };
}

/** An item of a bulk request that is not sent. */
export interface RefusedItem {
  /** Its place in the request. */
  readonly index: number;
  readonly error: AppError;
}

/**
 * As `bulkCall`, but an item that must not be sent refuses itself alone.
 * @param requireAct throws an AppError for an act that the caller may not do
 * @returns the call with the other items, perhaps none, and the refused ones in their order
 * @throws AppError `invalid_json`; `invalid_input` for what is no list of at most 100 items
 */
export function bulkItems(
  method: string,
  path: DevicePath,
  body: Buffer,
  requireAct: (act: Act) => void,
): { call: CallRequest; body: Buffer; refused: readonly RefusedItem[] } {
  const { data } = (parse(body) ?? {}) as { data?: unknown };
  if (method !== 'POST' || !Array.isArray(data) || data.length > MAX_BULK_ITEMS) throw noBulkRequest('/body/data');
  const sent: { endpoint: string; method: string; data?: unknown }[] = [];
  const acts: Act[] = [];
  const refused: RefusedItem[] = [];
  for (const [index, given] of (data as unknown[]).entries()) {
    try {
      const read = bulkItem.safeParse(given);
      if (!read.success) throw noBulkRequest(`/body/data/${index}`);
      const act = actOfItem(read.data, index);
      requireAct(act);
      acts.push(act);
      sent.push({ endpoint: read.data.endpoint, method: read.data.method, data: read.data.data });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ index, error });
    }
  }
  const writes = acts.some((act) => act.writes);
  const call = { method, path, acts, isBulkRequest: true, writes, changes: writes };
  return { call, body: Buffer.from(JSON.stringify({ data: sent })), refused };
}

function noBulkRequest(pointer: string): AppError {
  const detail = 'POST with data: a list of at most 100 { endpoint, method, data }, methods GET, POST, PUT and DELETE';
  return new AppError('invalid_input', { errors: [{ pointer, detail }] });
}

function actOfItem(item: BulkItem, index: number): Act {
  const refuse = (reason: string): never => {
    throw new AppError('path_refused', { reason, item: index });
  };
  const verdict = devicePath(item.endpoint.startsWith('/api/') ? item.endpoint : `/api${item.endpoint}`);
  if (!verdict.ok) return refuse(verdict.reason);
  if (touchesSession(verdict.path.authPath)) refuse('a bulk request cannot contain a login or logout');
  if (isBulkPath(verdict.path)) refuse('a bulk request cannot contain a bulk request');
  return actOf(item.method, verdict.path, !isReading(item.method));
}

function actOf(method: string, { authPath, sentPath }: DevicePath, writes: boolean): Act {
  return { method, path: authPath, query: queryOf(sentPath), writes, mayHoldSecrets: mayHoldSecrets(authPath) };
}

function parse(body: Buffer): unknown {
  try {
    return readRequestJson(body);
  } catch (cause) {
    throw new AppError('invalid_json', { reason: (cause as UnreadableJson).message }, { cause });
  }
}

function queryOf(sentPath: string): string {
  const cut = sentPath.indexOf('?');
  return cut < 0 ? '' : sentPath.slice(cut + 1);
}
