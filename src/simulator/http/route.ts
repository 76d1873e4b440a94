/* A route as data: what the router calls, what the OpenAPI document says, and what the coverage list counts. */
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { DeviceMethod, Profile } from '../../device-api/contract.js';
import type { SimulatedDevice } from '../device/device.js';
import type { SimulatedAnswer, SimulatedRequest, UploadSink } from '../device/exchange.js';
import type { Family } from '../device/families.js';
import { isRecord } from './request-data.js';

export interface Route {
  readonly method: DeviceMethod;
  /** With `/api`, without version; `{name}` is one segment. */
  readonly path: string;
  readonly summary: string;
  handle(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer | Promise<SimulatedAnswer>;
  /** Answers without a token. */
  readonly open?: boolean;
  /** Profiles that have it; absent: both. */
  readonly profiles?: readonly Profile[];
  /** The feature without which a device answers code 100. */
  readonly needs?: keyof Family['has'];
  /** Takes a multipart form with one file part named `file`. */
  readonly upload?: (device: SimulatedDevice) => UploadSink;
  /** Takes a form of a web page instead of JSON: its fields are `data`. */
  readonly form?: boolean;
  /** For the document. */
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
  readonly query?: readonly string[];
  readonly codes?: readonly number[];
  /** What it changes; absent for a read. */
  readonly effect?: string;
}

type RouteDeclaration = Omit<Route, 'method' | 'path' | 'summary' | 'handle'>;

const declare =
  (method: DeviceMethod) =>
  (path: string, summary: string, handle: Route['handle'], declared: RouteDeclaration = {}): Route => ({
    method,
    path,
    summary,
    handle,
    ...declared,
  });

/** Routes that declare the same, beside what each declares. */
export const alike = (declared: RouteDeclaration, routes: readonly Route[]): readonly Route[] =>
  routes.map((route) => ({ ...declared, ...route }));

export const onGet = declare('GET');
export const onPost = declare('POST');
export const onPut = declare('PUT');
export const onDelete = declare('DELETE');

/** `data` of a request body, as an object. Used by actions whose body is optional too. */
export function dataOf(request: SimulatedRequest): Record<string, unknown> {
  const data = (request.body as { data?: unknown } | undefined)?.data;
  return isRecord(data) ? data : {};
}

/** A file as an answer, in pieces, so that a slow reader holds up the sender and not the memory. */
export function fileAnswer(bytes: Buffer, name: string, type: string): SimulatedAnswer {
  return {
    status: 200,
    body: '',
    stream: Readable.from(pieces(bytes)),
    headers: {
      'Content-Type': type,
      'Content-Length': String(bytes.length),
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  };
}

const PIECE_BYTES = 16 * 1024;

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}
