import { type IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { AppError } from '../platform/errors.js';

/*
 * A file during its upload, raw or as the last part of a form. It is not buffered: the caller reads it while it arrives.
 * When the sender disconnects or falls silent, the stream ends with an error.
 */

export interface IncomingFile {
  /** The fields of the form before the file; null for a raw body, which has them in the query. */
  readonly fields: Readonly<Record<string, string>> | null;
  /** As the form names it. */
  readonly fileName: string | null;
  readonly content: Readable;
}

const LIMITS = { fields: 20, fieldSize: 4_096, files: 1, parts: 22, headerPairs: 32 };

/** A sender that was silent for this long counts as disconnected. */
const SILENT_MS = 60_000;

/** @throws AppError `unsupported_media_type`, `invalid_input`, `request_aborted` */
export function openUpload(request: IncomingMessage): Promise<IncomingFile> {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  limitSilence(request);
  if (type === 'application/octet-stream')
    return Promise.resolve({ fields: null, fileName: null, content: raw(request) });
  if (type === 'multipart/form-data') return openForm(request);
  return Promise.reject(
    new AppError('unsupported_media_type', { supported: ['application/octet-stream', 'multipart/form-data'] }),
  );
}

/** The body itself; its reader may stop at any time. */
function raw(request: IncomingMessage): Readable {
  const content = new PassThrough();
  breakWith(request, (error) => content.destroy(error));
  drainAfter(request, content);
  return request.pipe(content);
}

/** Discards the rest after the reader stopped: a sender that is cut off could not read the error answer. */
function drainAfter(request: IncomingMessage, content: Readable): void {
  content.on('error', () => undefined); // the reader gets the error too; a refused file has no reader
  content.once('close', () => {
    request.unpipe();
    request.resume();
  });
}

function breakWith(request: IncomingMessage, fail: (error: AppError) => void): void {
  request.on('error', (cause) => fail(new AppError('request_aborted', {}, { cause })));
  request.on('close', () => {
    if (!request.complete) fail(new AppError('request_aborted'));
  });
}

/** The fields of a form count only before its file: what comes after could not be minded while the file streams. */
function openForm(request: IncomingMessage): Promise<IncomingFile> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    let content: Readable | null = null;
    const fail = (error: AppError) => {
      request.unpipe();
      request.resume();
      content?.destroy(error);
      reject(error);
    };
    let form: BusboyInstance;
    try {
      form = new Busboy({ headers: request.headers as BusboyHeaders, limits: LIMITS });
    } catch (cause) {
      reject(brokenForm(cause));
      return;
    }
    form.on('field', (name, value, isNameCut, isValueCut) => {
      if (content) return;
      if (isNameCut || isValueCut) fail(invalidForm(name, 'is too long'));
      else if (Object.hasOwn(fields, name)) fail(invalidForm(name, 'occurs twice'));
      else fields[name] = value;
    });
    form.on('file', (_name, stream, fileName) => {
      content = stream;
      drainAfter(request, stream);
      resolve({ fields, fileName: fileName === '' ? null : fileName, content: stream });
    });
    form.on('finish', () => {
      if (!content) fail(invalidForm('file', 'the form has no file'));
    });
    form.on('error', (error) => fail(brokenForm(error)));
    breakWith(request, fail);
    request.pipe(form);
  });
}

function limitSilence(request: IncomingMessage): void {
  const { socket } = request;
  const onSilence = () => request.destroy();
  socket.setTimeout(SILENT_MS, onSilence);
  request.once('close', () => {
    socket.off('timeout', onSilence);
    socket.setTimeout(0);
  });
}

function invalidForm(field: string, detail: string): AppError {
  return new AppError('invalid_input', { errors: [{ pointer: `/body/${field.slice(0, 60)}`, detail }] });
}

function brokenForm(cause: unknown): AppError {
  const detail = 'is not a complete form';
  return new AppError('invalid_input', { errors: [{ pointer: '/body', detail }] }, { cause });
}
