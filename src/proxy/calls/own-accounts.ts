import { z } from 'zod';
import { PATHS, user } from '../../device-api/contract.js';
import { requestJson } from '../../device-api/device-json.js';
import { AppError } from '../../platform/errors.js';
import { type Act, type CallRequest } from '../connections/call-request.js';
import { type DeviceWithAccounts } from '../../devices/registry/device.queries.js';
import { type PreparedRequest } from './call-context.js';

/*
 * Which accounts of a device a write gives another password, or removes. A client that does this to the account of the
 * gateway locks the gateway out of the device: the job `credentials` is the way, since it proves and stores the new
 * password.
 */

/** The accounts by id or name; `own`: that of the session, or the form does not say which ones. */
export type TouchedAccounts = ReadonlySet<string> | 'own';

/** @returns null when the write leaves the passwords of all accounts as they are */
export function touchedAccounts({ call, body }: Pick<PreparedRequest, 'call' | 'body'>): TouchedAccounts | null {
  if (!call.acts.some(changesAccounts)) return null;
  const parsed = Buffer.isBuffer(body) ? requestJson(body) : body === null ? null : undefined;
  const touched = new Set<string>();
  for (const [index, act] of call.acts.entries()) {
    if (!changesAccounts(act)) continue;
    const names = namesOf(act, call.isBulkRequest ? itemOf(parsed, index) : parsed);
    if (names === 'own') return 'own';
    for (const name of names) touched.add(name);
  }
  return touched.size === 0 ? null : touched;
}

/**
 * Refuses a write that gives an account of the gateway another password, or removes it. The ids of accounts are the
 * device's, so a read compares their names.
 * @param listAccounts reads the device's list of accounts
 * @throws AppError `own_account`, `device_answer_invalid`; as `listAccounts`
 */
export async function refuseOwnAccounts(
  { account, readAccount }: DeviceWithAccounts,
  request: PreparedRequest,
  listAccounts: () => Promise<unknown>,
): Promise<void> {
  const touched = touchedAccounts(request);
  if (!touched) return;
  const own = [account, readAccount].flatMap((known) => (known ? [known.username] : []));
  if (touched === 'own' || own.some((name) => touched.has(name))) throw new AppError('own_account');
  if (areTouched(own, touched, await listAccounts())) throw new AppError('own_account');
}

const accounts = z.object({ data: z.array(user) });

/**
 * Whether one of the touched accounts has one of these names.
 * @param answer the device's list of accounts
 * @throws AppError `device_answer_invalid`
 */
export function areTouched(names: readonly string[], touched: ReadonlySet<string>, answer: unknown): boolean {
  const read = accounts.safeParse(answer);
  if (!read.success) throw new AppError('device_answer_invalid');
  return read.data.data.some(({ id, username }) => touched.has(id) && names.includes(username));
}

/** Whether a request may change accounts, so that its body must be read completely before it is sent. */
export const mayChangeAccounts = ({ acts }: CallRequest): boolean => acts.some(changesAccounts);

const FIRST_PASSWORD = PATHS.firstPassword.toLowerCase();
const ITEMS = `${PATHS.users}/`;

function changesAccounts({ path, writes, method }: Act): boolean {
  const lower = path.toLowerCase();
  if (!writes) return false;
  return lower === FIRST_PASSWORD || (method !== 'POST' && (lower === PATHS.users || lower.startsWith(ITEMS)));
}

/** @param body the parsed body of the act; null when there is none, undefined when it cannot be read */
function namesOf({ path, method }: Act, body: unknown): readonly string[] | 'own' {
  if (path.toLowerCase() === FIRST_PASSWORD) return 'own';
  const isRemoval = method === 'DELETE';
  const item = path.slice(ITEMS.length);
  if (item !== '') return isRemoval || body === undefined || holdsPassword(body) ? [decodeURIComponent(item)] : [];
  if (body === null) return [];
  const { data } = (body ?? {}) as { data?: unknown };
  if (data === undefined) return isRemoval || body === undefined || holdsPassword(body) ? 'own' : [];
  const items: unknown[] = Array.isArray(data) ? data : [data];
  const names = items.filter((one) => isRemoval || holdsPassword(one)).map(namesOfItem);
  return names.includes('own') ? 'own' : names.flat();
}

/** Items are ids, or objects with an id or a name. A device may read another form in its own way. */
function namesOfItem(item: unknown): readonly string[] | 'own' {
  if (isName(item)) return [String(item)];
  const { id, username } = (item ?? {}) as { id?: unknown; username?: unknown };
  const names = [id, username].filter((name) => name !== undefined);
  return names.length > 0 && names.every(isName) ? names.map(String) : 'own';
}

const isName = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const holdsPassword = (value: unknown): boolean => JSON.stringify(value).toLowerCase().includes('password');

/** The body of an item of a bulk request as that of a request. */
function itemOf(body: unknown, index: number): unknown {
  const items = (body as { data?: unknown } | null | undefined)?.data;
  return Array.isArray(items) ? (items as readonly unknown[])[index] : undefined;
}
