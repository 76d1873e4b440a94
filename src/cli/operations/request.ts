import { UsageError } from '../exit-codes.js';
import { placesOf, type Field, type ApiOperation } from './operation.js';

/* A request from the arguments and flags of a command. */

export interface ApiRequest {
  readonly method: ApiOperation['method'];
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

export interface Given {
  /** What goes into the places of the path, in their order. */
  readonly places: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Fields of the body by their dotted names. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** A body from a file; `fields` change it. */
  readonly document?: unknown;
}

/** Builds the request of an operation. @throws UsageError when fields are given to a body that is no object */
export function buildRequest({ method, path, body }: ApiOperation, given: Given): ApiRequest {
  const search = new URLSearchParams(given.query).toString();
  const address = search === '' ? fillPlaces(path, given.places) : `${fillPlaces(path, given.places)}?${search}`;
  const request = { method, path: address, headers: given.headers };
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

/** What a person writes as a device: its name, or an id, `serial:…`, `mac:…` or `name:…`. */
export function deviceRef(written: string): string {
  const explicit = /^(name|serial|mac):/.test(written) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(written);
  return explicit ? written : `name:${written}`;
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
export function parsed(written: string): unknown {
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return written;
  }
}

function fillPlaces(path: string, values: readonly string[]): string {
  const names = placesOf(path);
  return names.reduce((filled, name, at) => {
    const value = name === 'ref' ? deviceRef(values[at] ?? '') : (values[at] ?? '');
    return filled.replace(`{${name}}`, () => encodeURIComponent(value));
  }, path);
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
