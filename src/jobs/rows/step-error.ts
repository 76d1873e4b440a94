import { DEMAND_REMEDY } from '../../device-api/password-demand.js';
import { AppError, type ErrorCode, isDatabaseAway, isDiskFull } from '../../platform/errors.js';
import { type Failure, type StepError } from './job-state.js';

/*
 * What an error means for a job: one table for all kinds. A kind can catch an error and decide differently.
 */

/** The device is offline: the job waits for it until the deadline, without a limit of retries. */
const OFFLINE: ReadonlySet<ErrorCode> = new Set([
  'device_unreachable',
  'device_timeout',
  'device_tls_failed',
  'device_circuit_open',
]);

/**
 * Retried a few times. `device_outcome_unknown` is retryable because a step may be repeated; an effect, which may not,
 * has an intent.
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

/** Errors before the first byte of a request was sent: the effect has not begun, for certain. */
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
  'own_account',
  'database_unavailable',
  'disk_full', // while the audit entry was written, before sending
  'shutting_down',
  'worker_stalled',
  'locked',
  'starter_may_not',
  'device_replaced',
  // Of the file that an effect sends: all its bytes are compared with the digest before the first one is sent.
  'artifact_not_found',
  'artifact_changed',
  'artifact_damaged',
]);

/** Failures of kinds after a lost answer, when a read showed that the device did nothing: a new job may succeed. */
const ANSWER_LOST: ReadonlySet<string> = new Set([
  'answer_lost',
  'restart_not_begun',
  'restore_not_begun',
  'upgrade_not_begun',
]);

/** Classifies what a step threw. */
export function stepErrorOf(thrown: unknown): StepError {
  const error = asAppError(thrown);
  const failure = failureOf(error);
  const retryAfter = error.facts['retryAfterSeconds'];
  return {
    class: classOf(error),
    failure,
    ...(typeof retryAfter === 'number' ? { retryAfterMs: retryAfter * 1000 } : {}),
  };
}

/** An error as a job stores it; where the device asks for a new password, its message says that and what to do. */
export function failureOf({ code, message, facts }: AppError): Failure {
  const { demand } = facts;
  const said = typeof demand === 'string' ? `${message}: ${demand}. ${DEMAND_REMEDY}` : message;
  return { code, message: said, facts };
}

/** Whether a job with this code ended because its device was offline. */
export function isOfflineCode(code: string | null): boolean {
  return OFFLINE.has(code as ErrorCode);
}

/** Whether a new job may succeed where one ended with this code. */
export function isRetryableCode(code: string | null): boolean {
  return isOfflineCode(code) || TRANSIENT.has(code as ErrorCode) || ANSWER_LOST.has(code ?? '');
}

/** Whether the device did nothing, for certain: nothing was sent, or its token was dead. No other refusal counts. */
export function isNotSent(thrown: unknown): boolean {
  return thrown instanceof AppError && (NOT_SENT.has(thrown.code) || isDeadSession(thrown));
}

/** Whether another device answered the login; it got none of the job's requests. */
export function isOtherDevice(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === 'identity_mismatch';
}

/** Whether the device refused before it did anything. A 5xx is no refusal: the device can crash half-way. */
export function isDeviceRefusal(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.code === 'device_refused' && !isCrash(thrown);
}

function classOf(error: AppError): StepError['class'] {
  if (OFFLINE.has(error.code)) return 'offline';
  if (error.code === 'device_answer_invalid') return 'unreadable';
  if (error.code === 'locked') return 'locked';
  if (error.code === 'starter_may_not' || error.code === 'device_replaced') return 'forbidden';
  if (TRANSIENT.has(error.code) || isDeadSession(error)) return 'transient';
  return error.code === 'device_refused' && isCrash(error) ? 'transient' : 'final';
}

/**
 * A device that just started can refuse a token that it granted a moment ago. It checks the token before anything else
 * (observed-devices.md 1.3), so it did nothing. The proxy has already logged in again once; later it works.
 */
function isDeadSession(error: AppError): boolean {
  const codes = error.facts['deviceCodes'];
  const isUnauthorized = error.code === 'device_refused' && error.facts['deviceStatus'] === 401;
  return isUnauthorized && Array.isArray(codes) && codes.some((code) => code === 121 || code === 123);
}

/** observed-devices.md 1.4: a crashing device answers 5xx; 501 means an unknown method. */
function isCrash(error: AppError): boolean {
  const status = error.facts['deviceStatus'];
  return typeof status === 'number' && status >= 500 && status !== 501;
}

/** An error outside the error table is a defect of the gateway: its message goes only to the log. */
function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isDiskFull(thrown)) return new AppError('disk_full', {}, { cause: thrown });
  return new AppError(isDatabaseAway(thrown) ? 'database_unavailable' : 'internal_error', {}, { cause: thrown });
}
