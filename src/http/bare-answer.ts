import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { AppError, type ErrorCode } from '../platform/errors.js';
import { toProblem } from './problem.js';

/*
 * Answers outside of the framework: to malformed requests, and to requests whose body is too slow. They close the
 * connection.
 */

/** Forbids framing, content sniffing and caching. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
} as const;

/**
 * Of an answer whose length is not known when it begins: a stream, whose reader wants each line as it is made. A proxy in front neither
 * holds it back (nginx, and others that read its header) nor compresses it, which would hold it back, too.
 */
export const STREAM_HEADERS = {
  'x-accel-buffering': 'no',
  'cache-control': `${SECURITY_HEADERS['cache-control']}, no-transform`,
} as const;

/** Closing a connection while its client sends resets it. The client gets this time to read the answer. */
const READ_WITHIN_MS = 2_000;

/** Writes a problem document to a connection and closes it. When an answer has begun, it only closes the connection. */
export function endWithProblem(socket: Socket, error: AppError): void {
  if (socket.destroyed || socket.writableEnded) return;
  socket.on('error', () => undefined); // Node takes its own listener from a socket that it hands over, and a reset would end the process
  if (hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const body = JSON.stringify(toProblem(error, requestId));
  const headers = {
    ...SECURITY_HEADERS,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), READ_WITHIN_MS).unref();
}

/** Node stores the current answer at its socket, without a public way to it; its own error handler reads it, too. */
function hasBegunAnswer(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { readonly _httpMessage?: ServerResponse | null };
  return answer?.headersSent === true;
}

interface ParserError extends Error {
  readonly code?: string;
  /** The bytes with the fault. */
  readonly rawPacket?: unknown;
}

/** Answers a request that Node's parser refused or that did not arrive in time. */
export function refuseClient(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else endWithProblem(socket, new AppError(codeOf(error), {}, { cause: error }));
}

function codeOf({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_too_slow';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed_request';
  return isInAddress(rawPacket) ? 'address_too_long' : 'headers_too_large';
}

/** Whether the request line was too large. Only the last packet of the head is available. */
function isInAddress(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet)) return false;
  const lineEnd = packet.indexOf('\n');
  const line = packet.toString('latin1', 0, lineEnd < 0 ? packet.length : lineEnd);
  return / HTTP\/1\.\d\r?$/.test(line) ? line.length > packet.length / 2 : lineEnd < 0 && /^[A-Z]{3,20} \S/.test(line);
}
