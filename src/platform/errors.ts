import { type ErrorInfo } from './errors/error-info.js';
import { DEVICE_CALL_ERRORS } from './errors/device-calls.js';
import { DEVICE_ERRORS } from './errors/devices.js';
import { GATEWAY_ERRORS } from './errors/gateway.js';
import { JOB_ERRORS } from './errors/jobs.js';
import { REQUEST_ERRORS } from './errors/requests.js';
import { RIGHTS_ERRORS } from './errors/rights.js';
import { ROLLOUT_ERRORS } from './errors/rollouts.js';
import { SIGN_IN_ERRORS } from './errors/sign-in.js';

/*
 * Every error of the gateway, in one table: a stable code, its HTTP status, and what to do about it. A released code never
 * changes its meaning. A test compares the table with `docs/reference/errors.md`.
 */

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...SIGN_IN_ERRORS,
  ...RIGHTS_ERRORS,
  ...DEVICE_ERRORS,
  ...DEVICE_CALL_ERRORS,
  ...JOB_ERRORS,
  ...ROLLOUT_ERRORS,
  ...GATEWAY_ERRORS,
} as const satisfies Record<string, ErrorInfo>;

/** The same by what they are about, for people who read them. */
export const ERROR_AREAS: readonly (readonly [title: string, errors: Readonly<Record<string, ErrorInfo>>])[] = [
  ['Requests', REQUEST_ERRORS],
  ['Sign-in', SIGN_IN_ERRORS],
  ['Rights', RIGHTS_ERRORS],
  ['Devices', DEVICE_ERRORS],
  ['Calls of devices', DEVICE_CALL_ERRORS],
  ['Jobs', JOB_ERRORS],
  ['Rollouts', ROLLOUT_ERRORS],
  ['The gateway', GATEWAY_ERRORS],
];

export type ErrorCode = keyof typeof ERRORS;

/** Facts that a caller may see beside the code; never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

/**
 * An error of the table. `facts` are safe to show to the caller and to log. `cause` is only for the log: the message of this
 * error does not repeat the message of its cause.
 */
export class AppError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly facts: Facts = {},
    options?: ErrorOptions,
  ) {
    super(ERRORS[code].title, options);
    this.name = 'AppError';
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return (ERRORS[this.code] as ErrorInfo).retryable ?? false;
  }
}

/** Whether the next attempt would end with the same error: the request is refused, and the error is not retryable. */
export function isPermanentError(error: unknown): error is AppError {
  return error instanceof AppError && error.status < 500 && !error.retryable;
}

/** Codes of Postgres for "unavailable" (PostgreSQL, Appendix A: classes 08, 53, 57P), and of a server that may only be read. */
const SERVER_AWAY = /^(08...|53[0234]00|57P0[1-5]|25006)$/;

/** Codes of the operating system and of Postgres (class 53) for a full disk. */
const DISK_FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', '53100']);

/** Codes of Postgres for values that no column can hold (class 22): the input is wrong, not the statement. */
const BAD_VALUE = /^22/;

const SOCKET_AWAY = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/;

const DRIVER_WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Cannot use a pool after|is not queryable/;

interface DriverError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly driverError?: unknown;
  readonly isOfDatabase?: boolean;
}

/** Marks an error of a connection to the database, which else looks like that of any socket. */
export const OF_DATABASE = { isOfDatabase: true } as const;

/**
 * Whether an error of the database driver means that the database is unavailable, and not that a statement is wrong. A bare
 * socket error counts only when it is marked, or while a connection is opened: others come from a caller that disconnected.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '', syscall, message, driverError, isOfDatabase } = error as DriverError;
  if (isOfDatabase === true) return true;
  if (SERVER_AWAY.test(code) || DRIVER_WORDS.test(message)) return true;
  if (SOCKET_AWAY.test(code) && (syscall === 'connect' || syscall === 'getaddrinfo')) return true;
  if (!(driverError instanceof Error) || driverError === error) return false;
  return SOCKET_AWAY.test((driverError as DriverError).code ?? '') || isDatabaseAway(driverError);
}

/** Whether a disk was full, for a file or for the database. */
export function isDiskFull(error: unknown): boolean {
  const { code = '', driverError } = (error ?? {}) as Partial<DriverError>;
  return DISK_FULL.has(code) || (driverError instanceof Error && driverError !== error && isDiskFull(driverError));
}

/** PostgreSQL, Appendix A: query_canceled, at the end of `statement_timeout`. */
const CANCELLED = '57014';

/** Whether the database stopped a statement that took too long. */
export function isCancelledStatement(error: unknown): boolean {
  const { code, driverError } = (error ?? {}) as Partial<DriverError>;
  return (
    code === CANCELLED || (driverError instanceof Error && driverError !== error && isCancelledStatement(driverError))
  );
}

/** PostgreSQL, Appendix A: lock_not_available, at the end of `lock_timeout`. */
const LOCK_TIMEOUT = '55P03';

/** Whether a statement waited for a lock for longer than it may. */
export function isLockTimeout(error: unknown): boolean {
  const { code, driverError } = (error ?? {}) as Partial<DriverError>;
  return code === LOCK_TIMEOUT || (driverError instanceof Error && driverError !== error && isLockTimeout(driverError));
}

/** Whether the database refused a value from outside. */
export function isBadValue(error: unknown): boolean {
  const { code, driverError } = (error ?? {}) as DriverError;
  return (typeof code === 'string' && BAD_VALUE.test(code)) || (driverError !== undefined && isBadValue(driverError));
}
