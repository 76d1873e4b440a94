import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { requestBodyOf, requireBodyInTime } from '../../platform/http/body-watch.js';
import { AppError } from '../../platform/errors.js';

/*
 * The body of a request to a device. Small bodies are read first, so that a slow caller does not hold the device's slot
 * and the request can be retried after a dead token. Large bodies, and those without Content-Length, are streamed.
 */

/** Bodies up to here are read into memory. */
const SMALL_BYTES = 64 * 1024;

export interface BodyRules {
  readonly limitBytes: number;
  /** Read the complete body, up to this size. */
  readonly bufferUpTo?: number;
}

/**
 * @returns the bytes, or the stream of a body that is not read here, or null when there is none
 * @throws AppError `body_too_large`, `invalid_input` for a Content-Length that is no length
 */
export async function requestBody(request: IncomingMessage, rules: BodyRules): Promise<Buffer | Readable | null> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return null;
  const bytes = length === undefined ? null : Number(length);
  if (bytes === 0) return null;
  const limitBytes = rules.bufferUpTo ?? rules.limitBytes;
  if (bytes !== null && bytes > limitBytes) throw new AppError('body_too_large', { limitBytes });
  requestBodyOf(request);
  if (rules.bufferUpTo === undefined && (bytes === null || bytes > SMALL_BYTES)) return request;
  return readComplete(request, limitBytes);
}

function readComplete(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  requireBodyInTime(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: Error) => {
      request.off('data', onData);
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limitBytes) fail(new AppError('body_too_large', { limitBytes }));
      else chunks.push(chunk);
    };
    request.on('data', onData);
    request.once('error', fail);
    const onClose = () => fail(incomplete('the body ended early'));
    request.once('close', onClose);
    request.once('end', () => {
      request.off('close', onClose); // it also closes after a normal end
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  });
}

const incomplete = (detail: string) => new AppError('invalid_input', { errors: [{ pointer: '/body', detail }] });
