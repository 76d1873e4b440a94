import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { requestBodyOf, requireBodyInTime } from '../../http/body-watch.js';
import { AppError } from '../../platform/errors.js';

/*
 * The body of a request to a device. Small bodies are read first, so that a slow caller does not hold the device's slot
 * and the request can be retried after a dead token. Larger bodies are streamed once their first part is there.
 */

/** Bodies up to here are read into memory. Each waiting upload holds as much, so it is no more than a socket's buffer. */
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
  const mayStream = rules.bufferUpTo === undefined && (bytes === null || bytes > SMALL_BYTES);
  if (!mayStream) requireBodyInTime(request);
  return read(request, limitBytes, mayStream ? SMALL_BYTES : Infinity);
}

/** @param streamAbove a longer body is given back as a stream, with its first part in it */
function read(request: IncomingMessage, limitBytes: number, streamAbove: number): Promise<Buffer | Readable> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = () => request.off('data', onData).off('error', fail).off('close', onClose).off('end', onEnd);
    const fail = (error: Error) => {
      stop();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > limitBytes) fail(new AppError('body_too_large', { limitBytes }));
      else if (bytes > streamAbove) {
        stop();
        request.pause().unshift(Buffer.concat(chunks));
        resolve(request);
      }
    };
    const onClose = () => fail(incomplete('the body ended early'));
    const onEnd = () => {
      stop(); // it also closes after a normal end
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    request.on('data', onData).once('error', fail).once('close', onClose).once('end', onEnd);
  });
}

const incomplete = (detail: string) => new AppError('invalid_input', { errors: [{ pointer: '/body', detail }] });
