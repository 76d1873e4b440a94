import { deviceError, type DeviceError } from '../../device-api/contract.js';
import { type AnswerHeaders } from '../../device-api/exchange.js';
import { ExchangeError, type Fault } from '../../device-api/http.js';
import { mediaType } from '../../device-api/media-type.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { isAway } from '../../devices/registry/reachability.js';
import { type Observations } from '../../devices/registry/device-observations.js';
import { AppError, type ErrorCode, type Facts } from '../../platform/errors.js';

/* Translates faults of exchanges into codes of the error table. Pure. */

/** Codes when nothing reached the device, or nothing can have changed. */
const CODES: Readonly<Record<Fault, ErrorCode>> = {
  refused: 'device_unreachable',
  unreachable: 'device_unreachable',
  address: 'device_address_refused',
  tls: 'device_tls_failed',
  pin: 'device_trust_changed',
  timeout: 'device_timeout',
  cut: 'device_answer_cut',
  too_large: 'device_answer_too_large',
  protocol: 'device_answer_invalid',
  aborted: 'device_answer_cut',
};

/**
 * The caller's error for an incomplete exchange.
 * @param changes whether the request may have changed the device once a byte of it was sent
 */
export function exchangeError(error: unknown, changes: boolean): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof ExchangeError)) return new AppError('internal_error', {}, { cause: error });
  // The gateway stopped a streamed body before its end, so the device does not have the request.
  if (error.fault === 'aborted' && error.cause instanceof AppError) return error.cause;
  if (error.sent && changes) {
    return new AppError('device_outcome_unknown', { ...error.facts, why: error.fault }, { cause: error });
  }
  const code = error.fault === 'aborted' && !error.sent ? 'call_given_up' : CODES[error.fault];
  return new AppError(code, error.facts, { cause: error });
}

/** Faults of the device or of the connection to it: they count for the breaker. */
const DEVICE_FAULTS: ReadonlySet<Fault> = new Set(['refused', 'unreachable', 'tls', 'timeout', 'cut', 'protocol']);

export function isDeviceFault(error: unknown): boolean {
  return error instanceof ExchangeError && DEVICE_FAULTS.has(error.fault);
}

/** Faults after which the same read may succeed at once; a timeout has used up the time for that. */
export function isRetryableFault(error: unknown): boolean {
  return error instanceof ExchangeError && (error.fault === 'refused' || error.fault === 'cut');
}

/** Devices report a few refused options; more are omitted from errors, audit and results. */
const MAX_ERRORS = 50;

/** The error objects of a device's answer; none when it is not an unsuccessful envelope. */
export function errorsOf(body: unknown): DeviceError[] {
  const errors = (body as { errors?: unknown } | null | undefined)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_ERRORS).flatMap((error) => {
    const read = deviceError.safeParse(error);
    return read.success ? [read.data] : [];
  });
}

/** The facts `deviceStatus`, `deviceErrors` and `deviceCodes` of an error. */
export function refusalFacts(status: number, body: unknown): Facts {
  const deviceErrors = errorsOf(body);
  return { deviceStatus: status, deviceErrors, deviceCodes: deviceErrors.map(({ code }) => code) };
}

/**
 * What a failed exchange shows about the device: another key, or one more failed check. Null: nothing, as with an answer
 * that broke off.
 */
export function observationOf(
  error: ExchangeError,
  { state, failedChecks: before }: Pick<Device, 'state' | 'failedChecks'>,
): Observations | null {
  const { fault, facts } = error;
  if (fault === 'pin') {
    const stateReason = 'the device shows another key than the pinned one';
    return { state: 'trust_changed', stateReason, offeredPin: String(facts['offered']) };
  }
  const phase = facts['phase'];
  const isAbsent =
    fault === 'refused' || fault === 'unreachable' || fault === 'tls' || phase === 'connect' || phase === 'tls';
  if (!isAbsent || (state !== 'online' && state !== 'new')) return null;
  const failedChecks = before + 1;
  if (!isAway(failedChecks)) return { failedChecks };
  return { failedChecks, state: 'offline', stateReason: `${fault}: ${String(facts['reason'] ?? phase)}` };
}

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
