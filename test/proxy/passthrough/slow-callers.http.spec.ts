import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CallExecutor } from '../../../src/proxy/calls/call-executor.js';
import { casesOf, itInFull } from '../../support/forms.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/* A caller that does not send its body, or does not read its answer, keeps no slot of a device from others. */

/** More than the sockets on the way hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'a');
const DOWNLOAD = '/api/backup/actions/download';
const WRITE = '/api/firmware/actions/upload';

let world: TestGateway;
let device: Server;
let deviceId: string;
const callers: net.Socket[] = [];

beforeAll(async () => {
  device = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume();
    request.on('end', () => {
      if (request.url!.startsWith(DOWNLOAD)) {
        response.writeHead(200, { 'content-type': 'application/gzip', 'content-length': LARGE.length });
        return void response.end(LARGE);
      }
      const data = request.url === '/api/login' ? { token: 'a-token', expires: 299, username: 'admin' } : {};
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ success: true, data }));
    });
  });
  await new Promise<void>((resolve) => device.listen(0, '127.0.0.1', resolve));
  world = await startTestGateway({ ROLE: 'api' });
  const registered = await world.api.post<{ id: string }>('/v1/devices', {
    name: 'shared',
    baseUrl: `http://127.0.0.1:${(device.address() as { port: number }).port}`,
    trust: { mode: 'insecure', expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
    credentials: { username: 'admin', password: 'Secret-123' },
  });
  deviceId = registered.id;
});
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.destroy();
  await until(() => load().read.taken + load().write.taken === 0);
});
afterAll(async () => {
  await world.close();
  device.closeAllConnections();
  device.close();
});

const load = () => world.gateway.app.get(CallExecutor).slots.describe(deviceId);

/** Begins a request with a connection of its own. */
function begin(method: string, path: string, headers: readonly string[], prefix = '/v1/devices/'): net.Socket {
  const { hostname, port } = new URL(world.url);
  const caller = net.connect(Number(port), hostname);
  callers.push(caller);
  caller.on('error', () => undefined);
  const lines = ['host: gateway', `authorization: Bearer ${world.keys.administrator}`, ...headers];
  caller.write(`${method} ${prefix}${deviceId}${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return caller;
}

const LENGTH = ['content-length: 5000000'];
const SHORT = ['content-length: 1000'];
const CHUNKS = ['transfer-encoding: chunked'];
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;

/** Bodies that stop after they have their slot: the first part, and what comes now and then. */
const STALLS: [string, readonly string[], string, string, string?][] = [
  ['a long body stops', LENGTH, 'a'.repeat(100_000), ''],
  ['a long body trickles', LENGTH, 'a'.repeat(100_000), 'aaaaa'],
  ['a body in chunks stops', CHUNKS, chunk(100_000), ''],
  ['a body in chunks trickles', CHUNKS, chunk(100_000), chunk(5)],
  ['a long body trickles through the façade', LENGTH, 'a'.repeat(100_000), 'aaaaa', '/d/'],
  ['a body in chunks stops before its last chunk', CHUNKS, chunk(70_000), '', '/d/'],
];

/** How much they read before they stop. */
const READERS: [string, number, string?][] = [
  ['never read', 0],
  ['read the head alone', 100],
  ['stop after a megabyte', 1024 * 1024],
  ['never read through the façade', 0, '/d/'],
];

describe('a second writer is served while', () => {
  it.each<[string, readonly string[], string, string?]>([
    ['a short body begins', SHORT, 'aaaaa'],
    ['a short body in chunks begins', CHUNKS, chunk(5)],
    ['a long body sends nothing', LENGTH, ''],
    ['a long body begins', LENGTH, 'aaaaa'],
    ['a body in chunks nears the size of a stream', CHUNKS, chunk(60_000)],
    ['a long body begins through the façade', LENGTH, 'aaaaa', '/d/'],
    ['a body in chunks begins through the façade', CHUNKS, chunk(5), '/d/'],
  ])('%s, which has no slot yet', async (_what, headers, first, prefix) => {
    const isRead = once(world.gateway.app.getHttpServer(), 'request');
    const slow = begin('POST', WRITE, headers, prefix);
    slow.write(first);
    await isRead;
    await world.api.get(`/v1/devices/${deviceId}/api/system/status`); // what follows the head is done by then
    expect(load().write.taken).toBe(0);
    await world.api.post(`/v1/devices/${deviceId}${WRITE}`, {});
    expect(slow.readableEnded).toBe(false);
    slow.destroy();
  });

  it.each(casesOf(STALLS, 2))('%s, which ends with 408', async (_what, headers, first, more, prefix) => {
    const slow = begin('POST', WRITE, headers, prefix);
    const answered = once(slow, 'data');
    slow.write(first);
    const trickle = setInterval(() => slow.write(more), 50);
    try {
      await until(() => load().write.taken === 1);
      await world.api.post(`/v1/devices/${deviceId}${WRITE}`, {});
      const [bytes] = (await answered) as [Buffer];
      expect(bytes.toString()).toMatch(/^HTTP\/1\.1 408 /);
      expect(bytes.toString()).toContain('request_too_slow');
    } finally {
      clearInterval(trickle);
    }
  });
});

itInFull('lets a body stop for as long as its deadline allows while no other call waits', async () => {
  const slow = begin('POST', WRITE, LENGTH);
  const answered = once(slow, 'data');
  slow.write('a'.repeat(100_000));
  await until(() => load().write.taken === 1);
  const before = performance.now();
  await until(() => performance.now() - before > 5_500);
  slow.write('a'.repeat(4_900_000));
  const [bytes] = (await answered) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 /);
});

describe('a fourth reader is served while three', () => {
  it.each(casesOf(READERS, 2))('%s', async (_what, bytes, prefix) => {
    const readers = [1, 2, 3].map((number) => begin('GET', `${DOWNLOAD}?${number}`, [], prefix).pause());
    await until(() => load().read.taken === 3);
    if (bytes > 0) for (const reader of readers) await once(reader.resume(), 'data').then(() => reader.pause());
    await world.api.get(`/v1/devices/${deviceId}/api/system/status`);
    expect(load().read.taken).toBeLessThan(3);
  });
});
