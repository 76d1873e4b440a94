/* The last step: an answer becomes bytes, complete as a rule, and otherwise in the way of a fault. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SimulatedDevice } from '../device/device.js';
import type { SimulatedAnswer } from '../device/exchange.js';
import type { FaultRule } from '../device/faults.js';
import type { LedgerEntry } from '../device/ledger.js';
import { connectionOf, reset } from './listener.js';
import { isRecord } from './request-data.js';

export interface Delivery {
  readonly device: SimulatedDevice;
  readonly http: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: LedgerEntry;
  readonly faults: readonly FaultRule[];
}

/** Bytes of an unread body that are still taken after an early refusal, so that the refusal can be read. */
const LINGER_BYTES = 4 * 1024 * 1024;
const LINGER_MS = 2_000;

const HUGE_BYTES = 100 * 1024 * 1024;
const DRIP_BYTES_PER_SECOND = 10;
const FILLER = Buffer.alloc(64 * 1024, '"0123456789abcdef",');

const HTML =
  '<!DOCTYPE html><html><head><title>500 Internal Server Error</title></head><body><h1>uhttpd</h1></body></html>';

const NO_FAULTS: ReadonlySet<FaultRule['kind']> = new Set();

/** Sends the answer, or what the faults make of it; null means that there is none. */
export async function deliver(delivery: Delivery, answer: SimulatedAnswer | null): Promise<void> {
  const { response, device, http, faults } = delivery;
  if (!device.behaviour.keepAlive) response.shouldKeepAlive = false;
  if (!http.complete && hasBody(http)) linger(http, response);
  const kinds = faults.length === 0 ? NO_FAULTS : new Set(faults.map(({ kind }) => kind));
  if (kinds.has('hang')) return closed(response);
  if (!answer || kinds.has('lost-answer') || kinds.has('reset-before')) {
    reset(connectionOf(http.socket).raw, http.socket);
    return;
  }
  if (answer.stream) await stream(delivery, answer, kinds);
  else await send(delivery, answer, kinds);
  if (kinds.has('certificate-changed')) {
    await closed(response);
    device.replaceCertificate();
  }
}

function send(delivery: Delivery, answer: SimulatedAnswer, kinds: ReadonlySet<string>): Promise<void> | void {
  const { response, faults, http } = delivery;
  const text = textOf(kinds.has('missing-fields') ? withoutFields(answer.body, faults) : answer.body);
  if (faults.length > 0) {
    if (kinds.has('html')) return whole(response, 500, HTML, 'text/html');
    if (kinds.has('truncated-json')) return whole(response, answer.status, text.slice(0, Math.ceil(text.length / 2)));
    if (kinds.has('reset-mid-answer')) return half(response, answer.status, text, http);
    const huge = faults.find(({ kind }) => kind === 'huge-answer');
    if (huge || kinds.has('endless-answer'))
      return flood(response, answer.status, huge ? (huge.bytes ?? HUGE_BYTES) : Infinity);
    if (kinds.has('slow-drip')) return dripping(delivery, answer.status, text);
  }
  whole(response, answer.status, text);
}

/** Bodies that a service gave more than once, as text: a service that changes a body gives another object. */
const texts = new WeakMap<object, string>();

function textOf(body: object | string): string {
  if (typeof body === 'string') return body;
  let text = texts.get(body);
  if (text === undefined) texts.set(body, (text = JSON.stringify(body)));
  return text;
}

function head(response: ServerResponse, status: number, text: string, type = 'application/json'): void {
  response.writeHead(status, ['Content-Type', type, 'Content-Length', String(Buffer.byteLength(text))]);
}

function whole(response: ServerResponse, status: number, text: string, type?: string): void {
  head(response, status, text, type);
  response.end(text);
}

async function half(response: ServerResponse, status: number, text: string, http: IncomingMessage): Promise<void> {
  head(response, status, text);
  await new Promise<void>((resolve) => void response.write(text.slice(0, text.length >> 1), () => resolve()));
  reset(connectionOf(http.socket).raw, http.socket);
}

/** An array without end, or with one at `bytes`; only as fast as it is read. */
async function flood(response: ServerResponse, status: number, bytes: number): Promise<void> {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.write('{"success":true,"data":[');
  for (let sent = 0; sent < bytes && !response.destroyed; sent += FILLER.length) {
    if (!response.write(FILLER)) await drained(response);
  }
  if (!response.destroyed) response.end('"end"]}');
}

async function dripping(delivery: Delivery, status: number, text: string): Promise<void> {
  const { response } = delivery;
  head(response, status, text);
  await drip(delivery, Buffer.from(text));
  if (!response.destroyed) response.end();
}

/** At most ten writes a second, each of at least a byte. */
async function drip({ response, device, faults }: Delivery, bytes: Buffer): Promise<void> {
  const perSecond = faults.find(({ kind }) => kind === 'slow-drip')?.bytesPerSecond ?? DRIP_BYTES_PER_SECOND;
  const size = Math.max(1, Math.floor(perSecond / 10));
  for (let from = 0; from < bytes.length && !response.destroyed; from += size) {
    response.write(bytes.subarray(from, from + size));
    await device.clock.pause((size / perSecond) * 1000);
  }
}

async function stream(
  delivery: Delivery,
  { status, headers = {}, stream: source }: SimulatedAnswer,
  kinds: ReadonlySet<FaultRule['kind']>,
): Promise<void> {
  const { http, response } = delivery;
  const isCut = kinds.has('reset-mid-answer');
  response.writeHead(status, headers);
  const cutAt = Number(headers['Content-Length']) >> 1;
  let sent = 0;
  for await (const chunk of source!) {
    if (response.destroyed) return;
    const piece = isCut ? (chunk as Buffer).subarray(0, Math.max(0, cutAt - sent)) : (chunk as Buffer);
    sent += piece.length;
    if (kinds.has('slow-drip')) await drip(delivery, piece);
    else if (!response.write(piece)) await drained(response);
    if (isCut && sent >= cutAt) {
      reset(connectionOf(http.socket).raw, http.socket);
      return;
    }
  }
  response.end();
}

/** `data` without the named fields, or without every second one. */
function withoutFields(body: object | string, faults: readonly FaultRule[]): object | string {
  if (typeof body === 'string') return body;
  const names = faults.find(({ kind }) => kind === 'missing-fields')?.fields;
  const { data } = body as { data?: unknown };
  if (!isRecord(data)) return body;
  const kept = Object.entries(data).filter(([name], index) => (names ? !names.includes(name) : index % 2 === 1));
  return { ...body, data: Object.fromEntries(kept) };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function drained(response: ServerResponse): Promise<void> {
  const settled = new AbortController();
  const options = { signal: settled.signal };
  await Promise.race([once(response, 'drain', options), once(response, 'close', options)]);
  settled.abort();
}

async function closed(response: ServerResponse): Promise<void> {
  if (!response.closed && !response.destroyed) await once(response, 'close');
}

/** Reads the rest of a body and drops it, for a while: a caller that still sends could not read the refusal. */
function linger(http: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  let taken = 0;
  http.on('error', () => undefined);
  http.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > LINGER_BYTES) http.socket.destroy();
  });
  const timer = setTimeout(() => http.socket.destroy(), LINGER_MS).unref();
  http.socket.once('close', () => clearTimeout(timer));
  http.once('end', () => clearTimeout(timer));
}
