/*
 * One HTTP request of one device from its first line to its last byte: the gate that lets ten run at once, the faults, the
 * latency, the token, the body, the service, and the line in the ledger.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyBroken, readForm, readJson, readUpload } from './http/body.js';
import { deliver, type Delivery } from './http/delivery.js';
import type { SimulatedDevice } from './device/device.js';
import { DeviceRefusal, refuse, type SimulatedAnswer, type SimulatedRequest } from './device/exchange.js';
import type { FaultRule } from './device/faults.js';
import { connectionOf } from './http/listener.js';
import {
  answer,
  answerOrRecorded,
  authorize,
  isOpen,
  plainPath,
  resolve,
  routeFor,
  versionOf,
  type ResolvedRoute,
} from './router.js';

const NO_QUERY = new URLSearchParams();

interface Gate {
  running: number;
  readonly waiting: (() => void)[];
}
const gates = new WeakMap<SimulatedDevice, Gate>();

/** Requests that wait for one device; further ones are turned away with 503, as its small web server does. */
const MAX_WAITING = 200;

/** Real devices run ten requests at once and let the others wait (observed-devices.md 1.15). */
async function enter(device: SimulatedDevice): Promise<boolean> {
  let gate = gates.get(device);
  if (!gate) gates.set(device, (gate = { running: 0, waiting: [] }));
  if (gate.running >= device.behaviour.maxParallel) {
    if (gate.waiting.length >= MAX_WAITING) return false;
    await new Promise<void>((resolveTurn) => void gate.waiting.push(resolveTurn));
  } else gate.running++;
  return true;
}

/** Hands the place to the next one, or gives it back. */
function leave(device: SimulatedDevice): void {
  const gate = gates.get(device)!;
  const next = gate.waiting.shift();
  if (next) next();
  else gate.running--;
}

/** Serves one request; `onError` hears of errors that are the simulator's own. */
export async function serve(
  http: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  const { device } = connectionOf(http.socket);
  if (device.behaviour.maxParallel === Number.MAX_SAFE_INTEGER) return run(device, http, response, onError);
  if (!(await enter(device))) {
    response.writeHead(503, { Connection: 'close', 'Content-Length': 0 }).end();
    return;
  }
  try {
    await run(device, http, response, onError);
  } finally {
    leave(device);
  }
}

async function run(
  device: SimulatedDevice,
  http: IncomingMessage,
  response: ServerResponse,
  onError: (error: unknown) => void,
): Promise<void> {
  // On a connection that is open longer than the device's last planned restart.
  device.catchUp();
  const url = http.url ?? '/';
  const method = http.method ?? 'GET';
  const entry = device.ledger.open(device.index, device.clock.now(), method, url);
  const requestId = http.headers['x-request-id'];
  if (typeof requestId === 'string') entry.requestId = requestId.slice(0, 128);
  const mark = url.indexOf('?');
  const path = plainPath(device, mark < 0 ? url : url.slice(0, mark));
  const request: SimulatedRequest = {
    method,
    path: path ?? url,
    version: versionOf(device, url),
    query: mark < 0 ? NO_QUERY : new URLSearchParams(url.slice(mark + 1)),
    params: {},
    body: undefined,
    source: http.socket.remoteAddress ?? '',
    entry,
  };
  const faults = device.faults.none ? [] : device.faults.strikeAnswer(method, request.path);
  const disengage = device.faults.none ? null : engageWire(device, http, request);
  if (faults.length > 0) entry.faults = faults.map(({ kind }) => kind);
  const delivery: Delivery = { device, http, response, entry, faults };
  let result: SimulatedAnswer | null;
  try {
    await latency(device, request, faults);
    applyBefore(device, request, http, faults);
    result = faults.some(({ kind }) => kind === 'hang' || kind === 'reset-before')
      ? null
      : await answerOf(device, http, request, path);
  } catch (error) {
    result = refusal(device, error, onError);
  }
  device.ledger.close(entry, result?.status);
  applyAfter(device, faults);
  await deliver(delivery, result);
  disengage?.();
}

function engageWire(
  device: SimulatedDevice,
  http: IncomingMessage,
  { method, path, entry }: SimulatedRequest,
): (() => void) | null {
  const { faulty } = connectionOf(http.socket);
  const rules = faulty ? device.faults.strikeWire(method, path) : [];
  if (rules.length > 0) entry.faults = rules.map(({ kind }) => kind);
  return rules.length > 0 ? faulty!.engage(rules) : null;
}

async function latency(
  device: SimulatedDevice,
  { method, path }: SimulatedRequest,
  faults: readonly FaultRule[],
): Promise<void> {
  const rule = faults.find(({ kind }) => kind === 'latency');
  const { latencyMs, recording } = device.setup;
  if (!latencyMs && !rule) return;
  const recorded = method === 'GET' ? recording?.get(path)?.milliseconds : undefined;
  const usual = latencyMs ? (recorded ?? device.random.integer(...latencyMs)) : 0;
  await device.clock.pause(usual * (rule?.factor ?? 1) + (rule?.ms ?? 0));
}

async function answerOf(
  device: SimulatedDevice,
  http: IncomingMessage,
  request: SimulatedRequest,
  path: string | null,
): Promise<SimulatedAnswer> {
  if (path === null || !path.startsWith('/')) throw refuse('unknownEndpoint', device.behaviour.profile, 'path');
  const resolved = resolve(path);
  if (!isOpen(device, resolved)) authorize(device, request, http.headers.authorization);
  return answerOrRecorded(device, request, () => ownAnswer(device, http, request, resolved));
}

async function ownAnswer(
  device: SimulatedDevice,
  http: IncomingMessage,
  request: SimulatedRequest,
  resolved: ResolvedRoute | null,
): Promise<SimulatedAnswer> {
  const route = routeFor(device, request, resolved);
  if (route?.upload) {
    request.file = await readUpload(http, device, route.upload(device));
    request.entry.bodySha256 = request.file.sha256;
  } else {
    const read = route?.form ? readForm : readJson;
    const { json, sha256 } = await read(http, device.behaviour.profile);
    request.body = json;
    if (sha256 !== undefined) request.entry.bodySha256 = sha256;
  }
  return answer(device, request, route);
}

function refusal(device: SimulatedDevice, error: unknown, onError: (error: unknown) => void): SimulatedAnswer | null {
  if (error instanceof DeviceRefusal) return error.answer(device.behaviour.profile);
  if (error instanceof BodyBroken) return null;
  onError(error);
  return {
    status: 500,
    body: { success: false, errors: [{ code: 117, error: 'The device crashed', source: 'simulator' }] },
  };
}

/** Error answers that come instead of the device's own, before anything takes effect. */
const INSTEAD: Partial<Record<FaultRule['kind'], ConstructorParameters<typeof DeviceRefusal>>> = {
  'password-expired': [124, { source: 'authorization' }],
  'first-login': [125, { source: 'authorization' }],
  'out-of-space': [150, { source: 'file' }],
  'file-too-large': [151, { source: 'file' }],
  'events-log-busy': [104, { source: 'events_log' }],
  'no-internet': [15, { error: 'The device has no internet access now', source: 'firmware' }],
};

function applyBefore(
  device: SimulatedDevice,
  request: SimulatedRequest,
  http: IncomingMessage,
  faults: readonly FaultRule[],
): void {
  for (const { kind, status, code } of faults) {
    if (kind === 'error')
      throw new DeviceRefusal(code ?? 117, { source: 'fault', ...(status === undefined ? {} : { status }) });
    if (kind === 'dead-token') {
      device.sessions.end(http.headers.authorization?.slice('Bearer '.length) ?? '');
      throw refuse('deadToken', device.behaviour.profile, 'authorization');
    }
    if (kind === 'blocked-address') device.sessions.block(request.source);
    const instead = INSTEAD[kind];
    if (instead) throw new DeviceRefusal(...instead);
  }
}

/** What changes on the device, unseen by the caller, once the answer is decided. */
function applyAfter(device: SimulatedDevice, faults: readonly FaultRule[]): void {
  for (const { kind } of faults) {
    if (kind === 'password-changed') device.setPassword(`Changed-${device.random.integer(100_000, 999_999)}!`);
    if (kind === 'serial-changed') device.replaceSerial();
  }
}
