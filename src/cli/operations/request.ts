import { fillPath } from '../../api-client/paths.js';
import { UsageError } from '../exit-codes.js';
import { isSecretName, placesOf, type Field, type ApiOperation } from './operation.js';

/* A request from the arguments and flags of a command. */

export interface ApiRequest {
  readonly method: ApiOperation['method'];
  /** With its query. */
  readonly path: string;
  readonly json?: unknown;
  /** Whether the gateway tells a repetition apart. */
  readonly once: boolean;
}

export interface RequestInput {
  /** What goes into the places of the path, in their order. */
  readonly places: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  /** Fields of the body by their dotted names. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A body from a file; `fields` change it. */
  readonly document?: unknown;
}

/** Builds the request of an operation. @throws UsageError for an empty place, and for fields in a body that is no object */
export function buildRequest({ method, path, headers, body }: ApiOperation, given: RequestInput): ApiRequest {
  const address = withQuery(fillPlaces(path, given.places), given.query);
  const request = { method, path: address, once: headers.includes('Idempotency-Key') };
  if (!body) return request;
  return { ...request, json: withFields(given.document, given.fields) };
}

/** Sets fields with dotted names in a copy of a document. */
export function withFields(document: unknown, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy = document === undefined ? {} : (structuredClone(document) as unknown);
  if (!isObject(copy)) throw new UsageError('The document must be an object');
  for (const [name, value] of Object.entries(fields)) setField(copy, name.split('.'), value);
  return copy;
}

/** A path with parameters; those without a value are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return search === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${search}`;
}

/** The path of a device's API: `/system/device/status`, with or without `/api`. */
export function devicePath(path: string): string {
  return path.startsWith('/api/') ? path : `/api${path.startsWith('/') ? '' : '/'}${path}`;
}

/** The address of a device in the API, such as `/v1/devices/name:pump-1`. */
export const deviceAddress = (written: string): string => fillPlaces('/v1/devices/{ref}', [written]);

/** The fields of `--set field=value`, which can be repeated. @throws UsageError for another form, and for secrets */
export function setFields(written: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(
    written.map((one) => {
      const at = one.indexOf('=');
      if (at < 1) throw new UsageError('--set is written as field=value');
      const name = one.slice(0, at);
      if (isSecretName(name)) throw new UsageError(`${name} is a secret: put it into a file, and give that with -f`);
      return [name, parsed(one.slice(at + 1))];
    }),
  );
}

/** Takes a flag that can be repeated. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value];

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a person writes as a device: its name, or an id, `serial:…`, `mac:…` or `name:…`. */
export function deviceRef(written: string): string {
  const id = written.replace(/^id:/, '');
  if (UUID.test(id)) return id;
  return /^(name|serial|mac):/.test(written) ? written : `name:${written}`;
}

/**
 * Reads a value as its field wants it.
 * @throws UsageError when it is none of its choices, or no number
 */
export function readValue(name: string, written: string, { type, choices }: Field): unknown {
  if (choices && !choices.includes(written)) throw new UsageError(`${name} is one of ${choices.join(', ')}`);
  if (type === 'list') return written === '' ? [] : written.split(',').map((part) => part.trim());
  if (type === 'boolean') {
    if (written !== 'true' && written !== 'false') throw new UsageError(`${name} is true or false`);
    return written === 'true';
  }
  if (type === 'number') {
    const number = Number(written);
    if (written.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${name} is a number`);
    return number;
  }
  return type === 'other' ? parsed(written) : written;
}

/** JSON where it is JSON, else the text. */
function parsed(written: string): unknown {
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written;
  }
}

function fillPlaces(path: string, values: readonly string[]): string {
  const places = placesOf(path).map((name, at) => [name, name === 'ref' ? deviceRef(values[at] ?? '') : values[at]]);
  try {
    return fillPath(path, Object.fromEntries(places) as Record<string, unknown>);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function setField(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined || name === '__proto__') throw new UsageError('A field needs a name');
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const inner = Object.hasOwn(target, name) ? target[name] : {};
  if (!isObject(inner)) throw new UsageError(`${name} is not an object`);
  target[name] = inner;
  setField(inner, rest, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
