import { type Readable } from 'node:stream';
import { bulkCall, checkPath, isBulkPath, singleCall } from '../connections/call-request.js';
import { type CallContext, type PreparedRequest } from './call-context.js';
import { callLimits } from './call-limits.js';

/** A request of another module to a device. */
export interface DeviceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD' | 'OPTIONS';
  /** Canonical device path with query; begins with /api/. */
  readonly path: string;
  /** A JSON body … */
  readonly json?: unknown;
  /** … or a streamed one, with its headers. */
  readonly body?: Readable;
  /** content-type, content-length, accept; others are not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the complete call once it has a slot; absent: 15 s for a read, 30 s for a write, more for known slow paths. */
  readonly deadlineMs?: number;
  /** Largest answer. */
  readonly maxBytes?: number;
}

/** Answers that are parsed into memory. */
const MAX_JSON_BYTES = 2 * 1024 * 1024;

/**
 * Prepares a request, once for all devices that get the same one.
 * @param maxBytes largest answer, unless the request has its own limit
 * @throws AppError `path_refused`
 */
export function prepareRequest(
  request: DeviceRequest,
  { actor, job, inBackground, beforeWrite }: CallContext,
  maxBytes = MAX_JSON_BYTES,
): PreparedRequest {
  const { method, json, headers = {} } = request;
  const path = checkPath(request.path);
  let body: Buffer | Readable | null = json === undefined ? (request.body ?? null) : Buffer.from(JSON.stringify(json));
  let call = singleCall(method, path);
  if (isBulkPath(path)) {
    if (!Buffer.isBuffer(body)) throw new Error('A bulk request must be `json`');
    ({ call, body } = bulkCall(method, path, body));
  }
  return {
    call,
    body,
    headers: requestHeaders({
      accept: headers['accept'],
      contentType: json === undefined ? headers['content-type'] : 'application/json',
      contentLength: json === undefined ? headers['content-length'] : undefined,
      requestId: actor.requestId,
    }),
    limits: callLimits(call, request.maxBytes ?? maxBytes, request.deadlineMs),
    inBackground: inBackground ?? job !== undefined,
    beforeWrite,
  };
}

/**
 * The headers of a request to a device, alternating names and values. Only known headers are sent: other headers of the
 * caller (cookies, forwarding headers, its own Authorization) are not. The transport adds Host, Connection and the
 * length of a body in memory; `authorization` is added with the session.
 */
export function requestHeaders(given: {
  readonly accept?: string | undefined;
  readonly contentType?: string | undefined;
  /** Only for a streamed body. */
  readonly contentLength?: string | undefined;
  readonly requestId: string | null;
}): string[] {
  const headers = ['user-agent', 'fleetgate', 'accept', given.accept ?? '*/*', 'accept-encoding', 'identity'];
  if (given.contentType !== undefined) headers.push('content-type', given.contentType);
  if (given.contentLength !== undefined) headers.push('content-length', given.contentLength);
  if (given.requestId !== null) headers.push('x-request-id', given.requestId);
  return headers;
}
