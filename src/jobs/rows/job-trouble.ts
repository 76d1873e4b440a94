import { AppError, type ErrorCode, isDatabaseAway, isDiskFull } from '../../platform/errors.js';
import { type Failure, type Trouble } from './job-state.js';

/*
 * What an error means to a job. One table for all kinds; a kind that knows better says so itself.
 */

/** The device is away: it is waited for until the deadline, without a limit of tries. */
const OFFLINE: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_timeout',
  'device_tls_failed',
  'device_circuit_open',
]);

/**
 * Worth a few more tries. `device_outcome_unknown` is among them because a step, unlike an effect, may be repeated;
 * what must not be sent twice goes through the journal.
 */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  'call_given_up',
  'device_answer_cut',
  'device_login_failed',
  'device_outcome_unknown',
  'device_queue_full',
  'database_unavailable',
  'disk_full',
  'internal_error',
  'shutting_down',
  'worker_stalled',
]);

/** Errors before the first byte of a request was sent: the effect has certainly not begun. */
const NOT_SENT: ReadonlySet<ErrorCode> = new Set([
  'call_given_up',
  'device_unreachable',
  'device_address_refused',
  'device_tls_failed',
  'device_trust_changed',
  'device_circuit_open',
  'device_queue_full',
  'device_has_no_credentials',
  'device_credentials_refused',
  'device_login_failed',
  'device_not_found',
  'identity_mismatch',
  'secret_unreadable',
  'path_refused',
  'redaction_marker',
  'database_unavailable',
  'disk_full', // of the audit entry before it: no effect writes a file
  'shutting_down',
  'worker_stalled',
  'locked',
  // Of the file that an effect sends: all of its bytes are looked at before the first one goes out.
  'artifact_not_found',
  'artifact_changed',
  'artifact_damaged',
]);

/** Failures of kinds that lost an answer, looked, and are sure that the device has done nothing: asked again, it may. */
const LOST_ON_THE_WAY: ReadonlySet<string> = new Set([
  'answer_lost',
  'restart_not_begun',
  'restore_not_begun',
  'upgrade_not_begun',
]);

/** What a job makes of something that a step threw. */
export function troubleOf(thrown: unknown): Trouble {
  const error = asAppError(thrown);
  const failure = failureOf(error);
  const retryAfter = error.facts['retryAfterSeconds'];
  return {
    class: classOf(error),
    failure,
    ...(typeof retryAfter === 'number' ? { retryAfterMs: retryAfter * 1000 } : {}),
  };
}

/** An error as the evidence that a job keeps. */
export function failureOf(error: AppError): Failure {
  return { code: error.code, message: error.message, facts: error.facts };
}

/** Whether a job that ended with this code ended because its device was not there. */
export function isOfflineCode(code: string | null): boolean {
  return OFFLINE.has(code as ErrorCode);
}

/** Whether a job that ended with this code may end better when it is started again. */
export function mayPass(code: string | null): boolean {
  return isOfflineCode(code) || TRANSIENT.has(code as ErrorCode) || LOST_ON_THE_WAY.has(code ?? '');
}

/** Whether it is certain that the device did nothing with a request, and did not say no to it either. */
export function isNotSent(thrown: unknown): boolean {
  return thrown instanceof AppError && (NOT_SENT.has(thrown.code) || isDeadSession(thrown));
}

/** Whether a login met another device: it got none of the job's requests. */
export function isStranger(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'identity_mismatch';
}

/** Whether the device itself said no, before it did anything. A 5xx is no such word: it can crash half-way. */
export function isRefusal(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'device_refused' && !isCrash(thrown);
}

function classOf(error: AppError): Trouble['class'] {
  if (OFFLINE.has(error.code)) return 'offline';
  if (error.code === 'device_answer_invalid') return 'unreadable';
  if (error.code === 'locked') return 'locked';
  if (error.code === 'starter_may_not') return 'forbidden';
  if (TRANSIENT.has(error.code) || isDeadSession(error)) return 'transient';
  return error.code === 'device_refused' && isCrash(error) ? 'transient' : 'final';
}

/**
 * A device that just started can refuse a token that it gave a moment ago. It looks at the token before anything else
 * (observed behaviour, section 1, row 3), and the proxy has already logged in again once: later the token may work.
 */
function isDeadSession(error: AppError): boolean {
  const codes = error.facts['deviceCodes'];
  const isUnauthorized = error.code === 'device_refused' && error.facts['deviceStatus'] === 401;
  return isUnauthorized && Array.isArray(codes) && codes.some((code) => code === 121 || code === 123);
}

/** Observed behaviour, section 1, row 4: a device that crashes answers 5xx. 501 is a verb it does not know. */
function isCrash(error: AppError): boolean {
  const status = error.facts['deviceStatus'];
  return typeof status === 'number' && status >= 500 && status !== 501;
}

/** Anything else that is not of the error table is a fault of ours: its words are for the log, not for the job. */
function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isDiskFull(thrown)) return new AppError('disk_full', {}, { cause: thrown });
  return new AppError(isDatabaseAway(thrown) ? 'database_unavailable' : 'internal_error', {}, { cause: thrown });
}
