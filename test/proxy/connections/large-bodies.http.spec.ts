import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import http from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { casesOf, sizeOf } from '../../support/forms.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';

/*
 * Firmware and backups flow through: bytes stay the same, and where they are not read, no more of them are taken. So the
 * gateway never holds a whole body; `npm run bench -- --only P8` measures its memory.
 */

/** More than the sockets on the way hold: two connections with buffers of some MB at each end. */
const SIZE = sizeOf({ short: 64, long: 200 }) * 1024 * 1024;
const HELD_MAX = SIZE * 0.75;
const PIECE = Buffer.alloc(64 * 1024, 'fleetgate');

let world: TestGateway;
let device: Server;
let received = { bytes: 0, sha256: '' };
let deviceId: string;
/** Bytes that their sender has given to its socket. */
let sent = 0;
/** Opens for those that are to read a body. */
let gate: { readonly opened: Promise<void>; open(): void };

beforeAll(async () => {
  device = createServer((request, response) => {
    const url = request.url ?? '';
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (url === '/api/unauthorized/status') return answer({ success: true, data: { api_version: '1.9' } });
    if (url === '/api/login')
      return answer({ success: true, data: { token: 'a-token', expires: 299, username: 'admin' } });
    if (url === '/api/backup/actions/download') {
      response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': String(SIZE) });
      return void pieces().pipe(response);
    }
    void digested(request).then((body) => {
      received = body;
      answer({ success: true, data: {} });
    });
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  const { port } = device.address() as { port: number };
  world = await startTestGateway({ ROLE: 'api' });
  const registered = await world.api.post<{ id: string }>('/v1/devices', {
    name: 'large',
    baseUrl: `http://127.0.0.1:${port}`,
    trust: { mode: 'insecure', expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
    credentials: { username: 'admin', password: 'Secret-123' },
  });
  deviceId = registered.id;
});
afterAll(async () => {
  await world.close();
  device.close();
});

function pieces(): Readable {
  sent = 0;
  return new Readable({
    read() {
      if (sent >= SIZE) return void this.push(null);
      sent += PIECE.length;
      this.push(PIECE);
    },
  });
}

/** Reads a body once the gate is open. */
async function digested(body: Readable): Promise<typeof received> {
  await gate.opened;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    hash.update(chunk);
  }
  return { bytes, sha256: hash.digest('hex') };
}

const whole = createHash('sha256');
for (let left = SIZE; left > 0; left -= PIECE.length) whole.update(PIECE);
const WHOLE = { bytes: SIZE, sha256: whole.digest('hex') };

/** One request. @returns the status of its answer, and the body as far as it is one of the large ones */
async function transfer(method: string, path: string, body?: Readable, length?: number) {
  const request = http.request(`${world.url}/v1/devices/${deviceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${world.keys.operator}`,
      ...(body ? { 'content-type': 'multipart/form-data; boundary=x' } : {}),
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    },
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  if (body) body.pipe(request);
  else request.end();
  const [answer] = await answered;
  return { status: answer.statusCode, ...(await digested(answer)) };
}

/** How much was sent when no more is taken. A busy machine can stop earlier: then it was less. */
async function sentUnread(): Promise<number> {
  for (let looks = 0, last = 0; looks < 10; await pause(20)) {
    looks = sent > 0 && sent === last ? looks + 1 : 0;
    last = sent;
  }
  return sent;
}

beforeEach(() => {
  sent = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  gate = { opened, open };
});

it.each(
  casesOf(
    [
      ['in chunks', undefined],
      ['with its length', SIZE],
    ],
    1,
  ),
)('passes a large upload %s, and takes no more of it than the device reads', async (_how, length) => {
  const answer = transfer('POST', '/api/firmware/actions/upload_device_firmware', pieces(), length);
  expect(await sentUnread()).toBeLessThan(HELD_MAX);
  gate.open();
  expect(await answer).toMatchObject({ status: 200 });
  expect(received).toEqual(WHOLE);
});

it('passes a large download, and takes no more of it than the caller reads', async () => {
  const answer = transfer('POST', '/api/backup/actions/download');
  expect(await sentUnread()).toBeLessThan(HELD_MAX);
  gate.open();
  expect(await answer).toEqual({ status: 200, ...WHOLE });
});
