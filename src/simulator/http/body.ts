/*
 * Request bodies as real devices take them: JSON under any content type or none, an empty body with or without a length, GET
 * and DELETE with a body, multipart with fields before and after the file. What cannot be read is refused, never a crash.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { Profile } from '../../device-api/contract.js';
import type { SimulatedDevice } from '../device/device.js';
import { DeviceRefusal, refuse, type ReceivedFile, type UploadSink } from '../device/exchange.js';
import { MAX_JSON_BYTES } from '../device/profile.js';

/** The caller disconnected in the middle of its body, so there is no answer. */
export class BodyBroken extends Error {}

export interface ReadBody {
  /** Parsed JSON; undefined when there was no body. */
  readonly json: unknown;
  /** SHA-256 of the bytes, hexadecimal; absent without a body. */
  readonly sha256?: string;
}

const NO_BODY: ReadBody = { json: undefined };

/** @throws Refused 122 for what is not JSON, 150 for what is too large; BodyBroken */
export const readJson = (request: IncomingMessage, profile: Profile): Promise<ReadBody> =>
  readBody(request, profile, parse);

/** A form of a web page, as `data` of the envelope. @throws Refused 150 for what is too large; BodyBroken */
export const readForm = (request: IncomingMessage, profile: Profile): Promise<ReadBody> =>
  readBody(request, profile, (bytes) => ({ data: Object.fromEntries(new URLSearchParams(bytes.toString())) }));

async function readBody(
  request: IncomingMessage,
  profile: Profile,
  parsed: (bytes: Buffer) => unknown,
): Promise<ReadBody> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return NO_BODY;
  if (Number(headers['content-length'] ?? 0) > MAX_JSON_BYTES) throw refuse('bodyTooLarge', profile, 'body');
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_JSON_BYTES) throw refuse('bodyTooLarge', profile, 'body');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof DeviceRefusal ? error : new BodyBroken('The body broke off', { cause: error });
  }
  if (size === 0) return NO_BODY;
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  return { json: parsed(bytes), sha256: createHash('sha256').update(bytes).digest('hex') };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new DeviceRefusal(122, { error: 'The body is not JSON', source: 'body' });
  }
}

/** Fields beside the file are read and forgotten, so many and so large. */
const FORM_LIMITS = { fields: 64, fieldSize: 64 * 1024, parts: 80, headerPairs: 32 };

/** Streams the part `file` into `sink`. @throws Refused 103 without one, 122 for a broken form, 150, 151; BodyBroken */
export function readUpload(request: IncomingMessage, device: SimulatedDevice, sink: UploadSink): Promise<ReceivedFile> {
  const type = request.headers['content-type'];
  if (!type?.toLowerCase().startsWith('multipart/form-data')) {
    throw new DeviceRefusal(122, { error: 'A multipart form is needed', source: 'body' });
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      request.unpipe();
      reject(error);
    };
    let form: BusboyInstance;
    try {
      form = new Busboy({ headers: request.headers as BusboyHeaders, limits: FORM_LIMITS });
    } catch {
      reject(new DeviceRefusal(122, { error: 'The multipart form is broken', source: 'body' }));
      return;
    }
    let file: ReceivedFile | undefined;
    form.on('file', (field, stream, filename) => {
      stream.on('error', () => undefined);
      if (field !== 'file' || file) {
        stream.resume();
        return;
      }
      const [sha256, md5] = [createHash('sha256'), createHash('md5')];
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > device.family.maxUploadBytes) fail(new DeviceRefusal(151, { source: 'file', value: size }));
        else if (size > device.freeBytes) fail(new DeviceRefusal(150, { source: 'file', value: size }));
        sha256.update(chunk);
        md5.update(chunk);
        sink.write(chunk);
      });
      stream.on('end', () => {
        file = { name: filename, size, sha256: sha256.digest('hex'), md5: md5.digest('hex'), sink };
      });
    });
    form.on('error', () => fail(new DeviceRefusal(122, { error: 'The multipart form is broken', source: 'body' })));
    form.on('finish', () =>
      file ? resolve(file) : fail(new DeviceRefusal(103, { error: 'No file', source: 'file' })),
    );
    request.on('error', () => fail(new BodyBroken('The body broke off')));
    request.on('close', () => {
      if (!request.complete) fail(new BodyBroken('The body broke off'));
    });
    request.pipe(form);
  });
}
