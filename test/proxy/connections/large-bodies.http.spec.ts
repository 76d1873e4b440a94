import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import http from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';

/* Firmware and backups flow through: memory stays flat, bytes stay the same. */

const SIZE = 200 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, 'fleetgate');

/**
 * Less than one whole body. Caller, gateway and device are one process here, and what they let go of counts until it is
 * collected; `npm run bench -- --only P8` measures the gateway alone.
 */
const MAX_GROWTH = 190_000_000;

const memory = () => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

let world: TestGateway;
let device: Server;
let received = { bytes: 0, sha256: '' };
let deviceId: string;

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
    const hash = createHash('sha256');
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
    });
    request.on('end', () => {
      received = { bytes, sha256: hash.digest('hex') };
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
  let left = SIZE;
  return new Readable({
    read() {
      if (left <= 0) return void this.push(null);
      left -= PIECE.length;
      this.push(PIECE);
    },
  });
}

const whole = createHash('sha256');
for (let left = SIZE; left > 0; left -= PIECE.length) whole.update(PIECE);
const SHA256 = whole.digest('hex');

/** One request; resolves to status and digest of the answer, and to how far memory grew meanwhile. */
function transfer(method: string, path: string, body?: Readable, length?: number) {
  const before = memory();
  let peak = before;
  return new Promise<{ status: number; bytes: number; sha256: string; growth: number }>((resolve, reject) => {
    const request = http.request(`${world.url}/v1/devices/${deviceId}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${world.keys.operator}`,
        ...(body ? { 'content-type': 'multipart/form-data; boundary=x' } : {}),
        ...(length === undefined ? {} : { 'content-length': String(length) }),
      },
    });
    request.on('error', reject);
    request.on('response', (answer) => {
      const hash = createHash('sha256');
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        hash.update(chunk);
        peak = Math.max(peak, memory());
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, bytes, sha256: hash.digest('hex'), growth: peak - before }),
      );
    });
    if (!body) return request.end();
    body.on('data', () => (peak = Math.max(peak, memory())));
    body.pipe(request);
  });
}

it.each([
  ['with its length', SIZE],
  ['in chunks', undefined],
])('passes an upload of 200 MB %s in flat memory', async (_how, length) => {
  const { status, growth } = await transfer('POST', '/api/firmware/actions/upload_device_firmware', pieces(), length);

  expect(status).toBe(200);
  expect(received).toEqual({ bytes: SIZE, sha256: SHA256 });
  expect(growth).toBeLessThan(MAX_GROWTH);
});

it('passes a download of 200 MB in flat memory', async () => {
  const { status, bytes, sha256, growth } = await transfer('POST', '/api/backup/actions/download');

  expect({ status, bytes, sha256 }).toEqual({ status: 200, bytes: SIZE, sha256: SHA256 });
  expect(growth).toBeLessThan(MAX_GROWTH);
});
