import { type AnswerHeaders } from '../../device-api/exchange.js';
import { mediaType } from '../../device-api/media-type.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { errorsOf } from './device-errors.js';

/* What an answer of a device says about the token of its call: whether the device still knows it. Pure. */

/** Codes of a 401 for a dead token. `spec` uses 120 for a missing one, too; for `rutos` it is a refusal. */
const DEAD_TOKEN: Readonly<Record<Device['profile'], ReadonlySet<number>>> = {
  spec: new Set([120, 121, 123]),
  unknown: new Set([120, 121, 123]),
  rutos: new Set([121, 123]),
};

/** Of other statuses: there 120 is a refusal by the access list. */
const DEAD_TOKEN_ELSEWHERE: ReadonlySet<number> = new Set([121, 123]);

/** 121 with another status than 401 may be the outcome of a write: a wrong old password. */
const INVALID_TOKEN: ReadonlySet<number> = new Set([123]);

/** The most bytes of an answer that may be a refusal with a status of success: an envelope with one error. */
export const REFUSAL_MAX = 1_024;

const PAGES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/**
 * What in the head of an answer leaves open whether its token is dead: the status, since it refuses or leads to a login; the
 * page, which may be that of a login; the body, which may be a refusal. Not every device answers a dead token with 401.
 */
export type TokenDoubt = 'status' | 'page' | 'body' | 'none';

export function tokenDoubt(status: number, headers: AnswerHeaders): TokenDoubt {
  if (status === 401 || status === 403) return 'status';
  if (status >= 300) return status < 400 && status !== 304 ? 'status' : 'none';
  if (PAGES.has(mediaType(headers['content-type']))) return 'page';
  return Number(headers['content-length'] ?? 0) > REFUSAL_MAX ? 'none' : 'body';
}

/** What an answer says about the token of its call. `unclear`: the device must be asked. */
export type TokenVerdict = 'alive' | 'dead' | 'unclear';

/** @param body of an answer that leaves it open, parsed; undefined: not JSON */
export function tokenVerdict(profile: Device['profile'], status: number, body: unknown): TokenVerdict {
  const dead = status === 401 ? DEAD_TOKEN[profile] : DEAD_TOKEN_ELSEWHERE;
  const codes = errorsOf(body).map(({ code }) => code);
  if (codes.some((code) => dead.has(code))) return 'dead';
  if (codes.length > 0) return 'alive';
  return (body as { success?: unknown } | null | undefined)?.success === true ? 'alive' : 'unclear';
}

/**
 * Whether an answer is the API's own refusal of the token, so that the device did nothing. Only then may a write be repeated:
 * a page or a redirect also follows a restart or another password, with which a write ends its own session.
 * @param body as for `tokenVerdict`
 */
export function refusesToken(profile: Device['profile'], status: number, body: unknown): boolean {
  const refusals = status === 401 ? DEAD_TOKEN[profile] : INVALID_TOKEN;
  const codes = errorsOf(body).map(({ code }) => code);
  const isRefusal = status === 401 || (body as { success?: unknown } | null | undefined)?.success === false;
  return isRefusal && codes.length > 0 && codes.every((code) => refusals.has(code));
}
