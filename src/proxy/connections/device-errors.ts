import { deviceError, type DeviceError } from '../../device-api/contract.js';
import { readHandshakeCertificate } from '../../device-api/handshake-certificate.js';
import { passwordDemand } from '../../device-api/password-demand.js';
import { ExchangeError, type Fault } from '../../device-api/http.js';
import { type Device, type OfferedCertificate } from '../../devices/registry/device.entity.js';
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

/** The facts `deviceStatus`, `deviceErrors` and `deviceCodes` of an error, and `demand` where a person must act first. */
export function refusalFacts(status: number, body: unknown): Facts {
  const deviceErrors = errorsOf(body);
  const deviceCodes = deviceErrors.map(({ code }) => code);
  const demand = passwordDemand(status, deviceCodes);
  return { deviceStatus: status, deviceErrors, deviceCodes, ...(demand === null ? {} : { demand }) };
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
    return {
      state: 'trust_changed',
      stateReason,
      offeredPin: String(facts['offered']),
      offeredCertificate: offeredBy(error),
    };
  }
  const phase = facts['phase'];
  const isAbsent =
    fault === 'refused' || fault === 'unreachable' || fault === 'tls' || phase === 'connect' || phase === 'tls';
  if (!isAbsent || (state !== 'online' && state !== 'new')) return null;
  const failedChecks = before + 1;
  if (!isAway(failedChecks)) return { failedChecks };
  return { failedChecks, state: 'offline', stateReason: `${fault}: ${String(facts['reason'] ?? phase)}` };
}

function offeredBy({ certificate }: ExchangeError): OfferedCertificate | null {
  const read = certificate && readHandshakeCertificate(certificate);
  return read && { ...read, notBefore: read.notBefore.toISOString(), notAfter: read.notAfter.toISOString() };
}
