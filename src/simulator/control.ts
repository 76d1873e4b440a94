/*
 * The control API: what a test in another process, or a person with curl, does to the fleet behind the devices' back. It
 * listens on the loopback address alone, and answers only callers that also named it by that address, so that no web page can
 * reach it through a name of its own.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { SimulatedDevice } from './device/device.js';
import type { Fleet } from './fleet.js';
import { type LedgerFilter, ledgerFilter } from './device/ledger.js';

export const CONTROL_HOST = '127.0.0.1';

const MAX_BODY_BYTES = 1024 * 1024;
const LOOPBACK_HOST = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/;

/** Answered to the caller as it is; everything else is a defect of the simulator. */
class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const advanceBody = z.strictObject({ ms: z.number().positive() });
const passwordBody = z.strictObject({ password: z.string().min(1) });
const serialBody = z.strictObject({ serial: z.string().min(1).optional() });
const serviceBody = z.strictObject({ service: z.string().min(1) });
const firmwareBody = z.strictObject({ version: z.string().regex(/^\d+(\.\d+)*$/) });

/** What can be done to a device: `POST /devices/{index|all}/actions/{name}`. */
const ACTIONS: Readonly<Record<string, (device: SimulatedDevice, body: unknown) => void | Promise<void>>> = {
  stop: (device) => device.stop(),
  start: (device) => device.start(),
  reboot: (device) => device.reboot(),
  'expire-tokens': (device) => device.expireTokens(),
  'drop-connections': (device) => device.dropConnections(),
  'replace-certificate': (device) => device.replaceCertificate(),
  'replace-serial': (device, body) => device.replaceSerial(serialBody.parse(body ?? {}).serial),
  'set-password': (device, body) => device.setPassword(passwordBody.parse(body).password),
  'factory-reset': (device) => device.factoryReset(),
  'offer-firmware': (device, body) => {
    device.vendorFirmware = device.family.firmwarePrefix + firmwareBody.parse(body).version;
  },
  'expire-password': (device) => {
    const account = device.accounts.find(device.username);
    if (account) account.expired = true;
  },
  'damage-service': (device, body) => {
    const { service } = serviceBody.parse(body);
    if (!device.declarations.has(service)) throw new ControlError(400, `There is no configuration service ${service}`);
    device.configuration.damage(service);
  },
  unblock: (device) => device.sessions.unblockAll(),
};

/** Everything about a device that a test may want to know; the password among it, since it is a made-up one. */
function deviceView(device: SimulatedDevice): Record<string, unknown> {
  const { index, serial, mac, name, model, baseUrl, username, password, life } = device;
  return {
    index,
    serial,
    mac,
    name,
    model,
    profile: device.behaviour.profile,
    scenario: device.setup.scenario,
    baseUrl,
    username,
    password,
    fingerprint: device.fingerprint,
    life,
    firmware: device.firmware.version,
    uptimeSeconds: device.uptimeSeconds,
    faults: device.faults.list(),
    ...device.ledger.summary(index),
  };
}

/** Starts the control API of a fleet. @returns its address and how to stop it */
export async function startControl(fleet: Fleet, port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => void answer(fleet, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, CONTROL_HOST, resolve);
  });
  return {
    url: `http://${CONTROL_HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(fleet: Fleet, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    // A page that a browser loaded from elsewhere sends its origin, and its own name as the host.
    if (!LOOPBACK_HOST.test(request.headers.host ?? '') || request.headers.origin !== undefined) {
      throw new ControlError(403, 'The control API answers on the loopback address only');
    }
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const segments = url.pathname.split('/').filter(Boolean);
    const result = await perform(fleet, request.method ?? 'GET', segments, url.searchParams, await bodyOf(request));
    if (result instanceof Readable) {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
      result.pipe(response);
    } else if (typeof result === 'string') response.writeHead(200, { 'Content-Type': 'text/csv' }).end(result);
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(`${JSON.stringify(result, null, 1)}\n`);
  } catch (error) {
    const status = error instanceof ControlError ? error.status : error instanceof z.ZodError ? 400 : 500;
    const message = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(`${JSON.stringify({ error: message })}\n`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ControlError(413, 'The body is too large');
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new ControlError(400, 'The body is not JSON');
  }
}

async function perform(
  fleet: Fleet,
  method: string,
  segments: string[],
  query: URLSearchParams,
  body: unknown,
): Promise<unknown> {
  const [first, which, what, name] = segments;
  const at = `${method} /${[first, which && first === 'devices' ? '*' : which, what, name && '*'].filter(Boolean).join('/')}`;
  switch (at) {
    case 'GET /devices':
      return fleet.devices.map(deviceView);
    case 'GET /devices.csv':
      return fleet.csv();
    case 'GET /summary':
      return fleet.devices.map(({ index }) => ({ device: index, ...fleet.ledger.summary(index) }));
    case 'GET /ledger':
      return Readable.from(lines(fleet, ledgerFilter.parse(Object.fromEntries(query))));
    case 'POST /clock/advance':
      fleet.clock.advance(advanceBody.parse(body).ms);
      return { now: fleet.clock.now() };
    case 'GET /devices/*':
      return which === 'all' ? fleet.devices.map(deviceView) : deviceView(selected(fleet, which)[0]!);
    case 'GET /devices/*/faults':
      return selected(fleet, which).map((device) => ({ device: device.index, faults: device.faults.list() }));
    case 'POST /devices/*/faults':
      return selected(fleet, which).map((device) => ({ device: device.index, id: device.faults.add(body as never) }));
    case 'DELETE /devices/*/faults':
      for (const device of selected(fleet, which)) device.faults.clear();
      return { cleared: true };
    case 'DELETE /devices/*/faults/*':
      if (!selected(fleet, which).some((device) => device.faults.remove(Number(name))))
        throw new ControlError(404, 'There is no such fault');
      return { removed: Number(name) };
    case 'POST /devices/*/actions/*': {
      const action = ACTIONS[name!];
      if (!action) throw new ControlError(404, `The actions are ${Object.keys(ACTIONS).join(', ')}`);
      const devices = selected(fleet, which);
      for (const device of devices) await action(device, body);
      return { done: devices.length };
    }
    default:
      throw new ControlError(404, 'There is no such address; docs/reference/simulator.md lists them');
  }
}

/** One device by its index, or `all`. */
function selected(fleet: Fleet, which: string | undefined): readonly SimulatedDevice[] {
  if (which === 'all') return fleet.devices;
  const device = /^\d+$/.test(which ?? '') ? fleet.devices[Number(which)] : undefined;
  if (!device) throw new ControlError(404, 'There is no such device');
  return [device];
}

function* lines(fleet: Fleet, filter: LedgerFilter): Generator<string> {
  for (const entry of fleet.ledger.entries(filter)) yield `${JSON.stringify(entry)}\n`;
}
