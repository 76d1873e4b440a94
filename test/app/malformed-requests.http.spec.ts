import { once } from 'node:events';
import net from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* What is no HTTP by RFC 9112, or larger than the gateway reads, gets a problem document too. Raw sockets: clients refuse it. */

let world: TestGateway;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
});
afterAll(() => world.close());

/** Sends bytes and gives what came back once the gateway has closed the connection, or has answered: the first answer that begins with `from`. */
async function exchange(
  parts: readonly string[],
  isHalfClosed = false,
  from = 'HTTP/1.1',
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(world.url);
  const socket = net.connect(Number(port), hostname);
  let text = '';
  const whole = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.includes(from)) return;
      text = text.slice(text.indexOf(from));
      const [head = '', body] = text.split('\r\n\r\n');
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      if (body !== undefined && body.length >= Number(length ?? 0)) resolve();
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  for (const part of parts) socket.write(part, 'latin1');
  if (isHalfClosed) socket.end();
  await whole;
  socket.destroy();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.slice(9, 12)), head: head.toLowerCase(), body };
}

/** @returns the head of the answer, once it has been checked */
async function problem(parts: readonly string[], status: number, code: string): Promise<string> {
  const answer = await exchange(parts);
  expect(answer.status).toBe(status);
  expect(answer.head).toContain('content-type: application/problem+json');
  expect(answer.head).toContain('x-content-type-options: nosniff');
  expect(JSON.parse(answer.body)).toMatchObject({ code, status, requestId: expect.any(String) });
  return answer.head;
}

const hosts: [string, string][] = [
  ['none', ''],
  ['two', 'Host: a.example\r\nhost: b.example\r\n'],
  ['the same twice', 'Host: a.example\r\nHost: a.example\r\n'],
  ['an empty one', 'Host:\r\n'],
  ['several in one', 'Host: a.example,b.example\r\n'],
  ['one with a user', 'Host: user@a.example\r\n'],
  ['one with a path', 'Host: a.example/path\r\n'],
  ['one with a query', 'Host: a.example?x\r\n'],
  ['one with a space', 'Host: a.example b.example\r\n'],
  ['one with a port that is no number', 'Host: a.example:http\r\n'],
  ['an address without its bracket', 'Host: [::1\r\n'],
];

const encodings: [string, string][] = [
  ['an empty one', 'Transfer-Encoding:\r\n'],
  ['an empty one beside a length', 'Transfer-Encoding:\r\nContent-Length: 2\r\n'],
  ['an empty one after chunked', 'Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n'],
  ['an empty one before chunked', 'Transfer-Encoding: ,chunked\r\n'],
  ['one that is not chunked', 'Transfer-Encoding: gzip\r\n'],
  ['chunked beside a length', 'Transfer-Encoding: chunked\r\nContent-Length: 2\r\n'],
];

describe('A request by the rules of HTTP/1.1', () => {
  it.each(hosts)('has one Host, and not %s', async (_what, host) => {
    const answer = await problem([`GET /health/live HTTP/1.1\r\n${host}\r\n`], 400, 'malformed_request');
    expect(answer).toContain('connection: close');
  });

  it.each(encodings)('has no Transfer-Encoding or chunked, and not %s', async (_what, headers) => {
    const head = `POST /v1/login HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\n${headers}\r\n`;
    const answer = await problem([head, '0\r\n\r\n'], 400, 'malformed_request');
    expect(answer).toContain('connection: close');
  });

  it.each(['a.example', 'a.example:8080', '192.0.2.7', '[2001:db8::1]:80', 'a_b.example', 'a.example.', 'a.example:'])(
    'may have the Host %s',
    async (host) => {
      const { status } = await exchange([`GET /health/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
      expect(status).toBe(200);
    },
  );

  it('needs no Host in HTTP/1.0', async () => {
    expect((await exchange(['GET /health/live HTTP/1.0\r\n\r\n'])).status).toBe(200);
  });

  it('may come in chunks', async () => {
    const head =
      'POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n';
    const { body } = await exchange([`${head}\r\n2\r\n{}\r\n0\r\n\r\n`]);
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['HTTP/0.9', 'GET /health/live HTTP/0.9\r\nHost: a\r\n\r\n'],
    ['HTTP/0.9 without a version', 'GET /health/live\r\n\r\n'],
    ['HTTP/2.0', 'GET /health/live HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['HTTP/2.0 with a body', 'POST /v1/login HTTP/2.0\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/1.2', 'GET /health/live HTTP/1.2\r\nHost: a\r\n\r\n'],
    ['HTTP/3.0', 'GET /health/live HTTP/3.0\r\nHost: a\r\n\r\n'],
    ['HTTP/11', 'GET /health/live HTTP/11\r\nHost: a\r\n\r\n'],
    ['http/1.1', 'GET /health/live http/1.1\r\nHost: a\r\n\r\n'],
    ['no method', ' /health/live HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an unknown method', 'FETCH /health/live HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n'],
  ])('has no request line of %s', async (_what, request) => {
    expect(await problem([request], 400, 'malformed_request')).toContain('connection: close');
  });

  it.each([
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    ['a protocol', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
    ['two lengths', 'POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['an old version', 'GET / HTTP/2.0\r\nHost: a\r\n\r\n'],
    ['a large head', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('harms no other one when it asks for %s and its connection is reset', async (_what, request) => {
    const { hostname, port } = new URL(world.url);
    for (let attempt = 0; attempt < 10; attempt++) {
      const socket = net.connect(Number(port), hostname).on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(request);
      if (attempt % 2 === 0) await setImmediate();
      socket.resetAndDestroy();
    }
    expect((await fetch(`${world.url}/health/live`)).status).toBe(200);
  });

  it.each([
    ['2^63-1', '7fffffffffffffff'],
    ['2^63', '8000000000000000'],
    ['2^64-1', 'ffffffffffffffff'],
    ['2^64', '10000000000000000'],
    ['a negative one', '-1'],
    ['one with a prefix', '0x2'],
    ['one with a space', '2 2'],
    ['none', ''],
    ['a fraction', '1.5'],
    ['one with a long extension', `2;${'x'.repeat(20_000)}`],
  ])('is answered when the size of its chunk is %s', async (_what, size) => {
    const head =
      'POST /v1/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    const { status, body } = await exchange([`${head}${size}\r\n{}`], true);
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([400, 'malformed_request']);
  });

  it.each([
    ['POST /v1/login', 'application/json'],
    ['POST /v1/devices', 'application/json'],
    ['POST /v1/devices/import', 'text/csv'],
    ['POST /v1/artifacts?kind=firmware&name=x', 'application/octet-stream'],
    ['POST /v1/devices/6f9619ff-8b86-4d01-b42d-00cf4fc964ff/api/x', 'application/json'],
    ['POST /d/nothing/api/login', 'application/json'],
    ['POST /v1/nothing', 'application/json'],
  ])('to %s is answered when a chunk without an end breaks off, or is larger than the limit', async (line, type) => {
    const head =
      `${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${world.keys.administrator}\r\nContent-Type: ${type}\r\n` +
      'Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n';
    const broken = await exchange([`${head}{}`], true);
    expect([line, broken.status >= 400 && broken.status < 500]).toEqual([line, true]);
    const large = await exchange([head, ...Array.from({ length: 32 }, () => ' '.repeat(64 * 1024))], true);
    expect([line, large.status >= 400 && large.status < 500]).toEqual([line, true]);
  });

  it('is asked for its body after the check of the key, and only then', async () => {
    const head = (path: string, key: string, method = 'POST') =>
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n';
    const device = '/v1/devices/6f9619ff-8b86-4d01-b42d-00cf4fc964ff/api/wireguard/config';
    for (const [path, key, status] of [
      ['/v1/operators', 'nope', 401],
      ['/v1/operators', world.keys.viewer, 403],
      ['/v1/devices/import', 'nope', 401],
      ['/v1/artifacts?kind=firmware&name=x', 'nope', 401],
      [device, 'nope', 401],
      [device, world.keys.viewer, 403],
      [device, world.keys.administrator, 404],
      ['/d/nothing/api/wireguard/config', 'nope', 401],
      ['/v1/nothing', 'nope', 404],
      ['/v1/devices/%zz', 'nope', 400],
    ] as const) {
      const answer = await exchange([head(path, key)]);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.head).toContain('connection: close');
    }
    const asked = await exchange([head('/v1/operators', world.keys.administrator), '{}']);
    expect(asked.status).toBe(100);
    const accepted = await exchange([head('/v1/operators', world.keys.administrator), '{}'], false, 'HTTP/1.1 400');
    expect(JSON.parse(accepted.body)).toMatchObject({ code: 'invalid_input' });
  });

  it('is no other protocol', async () => {
    const head = await problem(['\x16\x03\x01\x02\x00\x01'], 400, 'malformed_request');
    expect(head).toContain('connection: close');
  });
});

describe('A request that is too large in its head', () => {
  it('says so for headers', async () => {
    const head = `GET /health/live HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await problem([head], 431, 'headers_too_large')).toContain('connection: close');
  });

  it('says so for the address', async () => {
    const head = `GET /health/live?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    expect(await problem([head], 414, 'address_too_long')).toContain('connection: close');
  });

  it('says so for a name in the address', async () => {
    const head = `GET /v1/devices/${'x'.repeat(5_000)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    expect(await problem([head], 414, 'address_too_long')).not.toContain('connection: close');
  });
});
