import { HttpException } from '@nestjs/common';
import {
  AppError,
  ERRORS,
  isBadValue,
  isCancelledStatement,
  isDatabaseAway,
  isDiskFull,
  type ErrorCode,
} from '../platform/errors.js';

/** RFC 9457 problem document, with our stable `code` and the id of the request. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly [fact: string]: unknown;
}

const DOCUMENT = '/docs/errors#';

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_input',
  FST_ERR_BAD_URL: 'path_refused',
  FST_ERR_MAX_PARAM_LENGTH: 'address_too_long',
  FST_ERR_ASYNC_CONSTRAINT: 'route_not_found',
};

const HTTP_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_input',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'route_not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Unknown errors become `internal_error`; their message goes only into the log. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDiskFull(error)) return new AppError('disk_full', {}, { cause: error });
  if (isDatabaseAway(error)) return new AppError('database_unavailable', {}, { cause: error });
  if (isCancelledStatement(error)) return new AppError('took_too_long', {}, { cause: error });
  if (isBadValue(error)) return new AppError('invalid_input', {}, { cause: error });
  const { code, statusCode, syscall } = (error ?? {}) as { code?: unknown; statusCode?: unknown; syscall?: unknown };
  // Node gives a request that its caller broke off no system call; a socket of the gateway's own has one.
  if (code === 'ECONNRESET' && syscall === undefined) return new AppError('request_aborted', {}, { cause: error });
  const known = typeof code === 'string' ? FASTIFY_CODES[code] : undefined;
  if (known) return new AppError(known, {}, { cause: error });
  if (error instanceof SyntaxError && statusCode === 400) return new AppError('invalid_json', {}, { cause: error });
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  const byStatus = typeof status === 'number' ? HTTP_CODES[status] : undefined;
  return new AppError(byStatus ?? 'internal_error', {}, { cause: error });
}

/** The problem document for the caller. @param prefix of the gateway's own addresses */
export function toProblem(error: AppError, requestId: string, prefix = ''): Problem {
  const { status, title, advice } = ERRORS[error.code];
  return {
    type: `${prefix}${DOCUMENT}${error.code}`,
    title,
    status,
    detail: advice,
    code: error.code,
    requestId,
    ...error.facts,
  };
}
