import http from 'node:http';
import net from 'node:net';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PER_SOURCE_MAX } from '../../../src/auth/limits/anonymous-requests.js';
import { casesOf } from '../../support/forms.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/* What one address without a key can do to another one: nothing. */

const GREEDY = '127.0.0.2';
const OTHER = '127.0.0.3';

let world: TestGateway;
const held: net.Socket[] = [];

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', REDIS_URL: '' }, undefined, { LOGIN_TRIES_PER_ADDRESS: 1000 });
});
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});
afterAll(() => world.close());

/** The status of one request from an address, on a connection of its own. */
async function ask(from: string, path: string, body?: object): Promise<number> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const request = http.request(new URL(path, world.url), {
    localAddress: from,
    agent: false,
    method: sent === undefined ? 'GET' : 'POST',
    headers: sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': sent.length },
  });
  request.end(sent);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  response.resume();
  await once(response, 'close');
  return response.statusCode!;
}

/** Connections that send a text and read nothing. */
async function hold(from: string, count: number, text: string): Promise<void> {
  const { hostname, port } = new URL(world.url);
  const opened = Array.from({ length: count }, async () => {
    const socket = net.connect({ host: hostname, port: Number(port), localAddress: from }).pause();
    socket.on('error', () => undefined);
    held.push(socket);
    await once(socket, 'connect');
    socket.write(text);
  });
  await Promise.all(opened);
}

const PAGES = [
  '/docs',
  '/openapi.json',
  '/console',
  '/console/devices',
  '/',
  '/health/live',
  '/health/ready',
  '/v1/oidc',
];

describe('another source gets its answer while one', () => {
  it.each(casesOf(PAGES, 2))('reads none of its documents: %s', async (path) => {
    // More than the sockets on the way hold: the later ones wait for their reader.
    await hold(GREEDY, PER_SOURCE_MAX + 10, 'GET /openapi.json HTTP/1.1\r\nhost: gateway\r\n\r\n'.repeat(10));
    expect(await ask(OTHER, path)).toBeLessThan(400);
    // Others behind its address are served, too: an answer that nobody reads holds no place.
    await until(async () => (await ask(GREEDY, path)) < 400);
  });

  it('reads no file of the console', async () => {
    const page = await (await fetch(new URL('/console/', world.url))).text();
    const script = /\/console\/assets\/[\w.-]+\.js/.exec(page)![0];
    await hold(GREEDY, PER_SOURCE_MAX + 10, `GET ${script} HTTP/1.1\r\nhost: gateway\r\n\r\n`.repeat(20));
    expect(await ask(OTHER, '/console/')).toBe(200);
    await until(async () => (await ask(GREEDY, script)) === 200);
  });

  it.each(casesOf(PAGES, 2))('begins requests and does not end them: %s', async (path) => {
    await hold(GREEDY, 300, 'GET /docs HTTP/1.1\r\nhost: gateway\r\n');
    expect(await ask(OTHER, path)).toBeLessThan(400);
  });

  it('fills its queue of password checks', async () => {
    const guess = (name: string) => ({ name, password: 'a wrong password' });
    const flood = Array.from({ length: PER_SOURCE_MAX }, (_none, index) =>
      ask(GREEDY, '/v1/login', guess(`name-${index}`)),
    );
    const refusal = Promise.any(
      flood.map(async (one) => ((await one) === 503 ? 'refused' : Promise.reject(new Error('served')))),
    );
    expect(await refusal).toBe('refused');
    expect(await ask(OTHER, '/v1/login', guess('other'))).toBe(401);
    await Promise.all(flood);
  });
});
