import { api } from '../../api/client.js';
import { isTextType } from './text-type.js';

/* Calls to one device through the gateway. The answer is the device's own. */

/** Longer answers are not shown, but can be saved. */
const SHOWN_BYTES = 1_000_000;

export interface DeviceCall {
  readonly method: string;
  /** The path on the device with its query, such as `/api/system/device/status`. */
  readonly path: string;
  readonly json?: unknown;
  /** For the audit log. */
  readonly reason?: string;
  /** It changes nothing, though its method is not GET, as a bulk request of reads. */
  readonly isRead?: boolean;
  /** A person asked for the secrets of what is read; the audit log then says so. */
  readonly wantsSecrets?: boolean;
}

export interface DeviceAnswer {
  readonly status: number;
  readonly ms: number;
  readonly type: string;
  readonly requestId: string | null;
  readonly content: Blob;
  /** Null for what is no text, or too long to show. */
  readonly text: string | null;
  /** What its JSON says; undefined for what is no JSON. */
  readonly value: unknown;
}

/** Where the gateway takes a call to a device. */
export const gatewayPath = (device: string, path: string): string => `/v1/devices/${device}${path}`;

/** Actions that interrupt the device or cannot be undone. */
const DISRUPTS = /\/actions\/(?:reboot|upgrade|apply|reset_settings|create_default|remove|delete|sim_|change_)/;

/** Whether a call removes something of the device or interrupts it: then a name has to be typed first. */
export const isDestructive = (method: string, path: string): boolean =>
  method === 'DELETE' || (method !== 'GET' && DISRUPTS.test(path));

/** What a change answers, such as a new key, comes once, so it is not redacted. */
function headersOf({ method, isRead = method === 'GET', reason, wantsSecrets }: DeviceCall): Record<string, string> {
  return {
    ...(reason ? { 'x-change-reason': reason } : {}),
    ...(isRead && !wantsSecrets ? { 'fleetgate-redact': 'yes' } : {}),
  };
}

/** Sends a call; any status of the device is an answer. @throws ApiError for what the gateway refused */
export async function sendCall(device: string, call: DeviceCall, signal?: AbortSignal): Promise<DeviceAnswer> {
  const begun = performance.now();
  const answer = await api.request(call.method, gatewayPath(device, call.path), {
    ...(call.json === undefined ? {} : { json: call.json }),
    headers: headersOf(call),
    ...(signal ? { signal } : {}),
  });
  const content = await answer.blob();
  const type = answer.headers.get('content-type') ?? '';
  const text = isTextType(type) ? await content.text() : null;
  return {
    status: answer.status,
    ms: Math.round(performance.now() - begun),
    type,
    requestId: answer.headers.get('x-request-id'),
    content,
    text: content.size > SHOWN_BYTES ? null : text,
    value: text === null ? undefined : valueOf(text),
  };
}

/** One reason of a device to refuse a call; anything may be missing. */
export interface Refusal {
  readonly code: number | null;
  readonly error: string | null;
  /** What it is about: the name of an option, or of a service. */
  readonly source: string | null;
  readonly section: string | null;
}

/** The device itself refused a call. */
export class RefusedByDevice extends Error {
  readonly refusals: readonly Refusal[];

  constructor({ status, value }: DeviceAnswer) {
    super(`The device refused it with status ${status}${wordsOf(value)}`);
    this.refusals = refusalsIn(value);
  }
}

/** Like `sendCall`, where only success is an answer. @throws RefusedByDevice with the device's own words */
export async function deviceAnswer(device: string, call: DeviceCall, signal?: AbortSignal): Promise<DeviceAnswer> {
  const answer = await sendCall(device, call, signal);
  if (answer.status < 300) return answer;
  throw new RefusedByDevice(answer);
}

/** What the device says of its refusal; empty, or `: …`. */
export function wordsOf(value: unknown): string {
  const words = refusalsIn(value).map(({ source, error, code }) =>
    [source, error, code !== null && `(code ${code})`].filter(Boolean).join(' '),
  );
  return words.length === 0 ? '' : `: ${words.join('; ')}`;
}

function refusalsIn(value: unknown): readonly Refusal[] {
  const errors = (value as { errors?: unknown } | undefined)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.map((one: Readonly<Record<string, unknown>> | null) => ({
    code: typeof one?.['code'] === 'number' ? one['code'] : null,
    error: textIn(one?.['error']),
    source: textIn(one?.['source']),
    section: textIn(one?.['section']),
  }));
}

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
