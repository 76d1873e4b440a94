import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { httpFetch } from '../../src/cli/http-fetch.js';

/* What the client needs of `fetch`, from the one on `node:http`. */

let server: Server;
let url: string;

/** Tells what came; a path decides how it is answered. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/nothing') return void response.writeHead(204).end();
  if (request.url === '/half') {
    response.writeHead(200, { 'content-length': '100' }).write('begun', () => response.destroy());
    return;
  }
  if (request.url === '/elsewhere') return void response.writeHead(302, { location: '/' }).end();
  if (request.url === '/silent') return;
  const { method, headers } = request;
  const seen = { method, length: headers['content-length'] ?? null, key: headers.authorization };
  response.writeHead(200, { 'x-one': ['a', 'b'] }).end(JSON.stringify({ ...seen, body: await text(request) }));
}

const send = (path: string, init: RequestInit = {}, signal: AbortSignal | null = null): Promise<Response> =>
  httpFetch(new Request(url + path, init), { signal });

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('sends headers and bodies: JSON with its length, a stream in parts', async () => {
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  const json = await send('/', { method: 'POST', headers, body: '{"ä":1}' });
  expect(json.headers.get('x-one')).toBe('a, b');
  expect(await json.json()).toEqual({ method: 'POST', length: '8', key: 'Bearer k', body: '{"ä":1}' });
  const parts = new Blob(['one,', 'two']).stream();
  const streamed = await send('/', { method: 'PUT', body: parts, duplex: 'half' });
  expect(await streamed.json()).toMatchObject({ method: 'PUT', length: null, body: 'one,two' });
});

it('gives answers without a body, and redirects as they are', async () => {
  expect((await send('/nothing')).body).toBeNull();
  expect((await send('/elsewhere')).status).toBe(302);
});

it('fails with the reason of the system, also in the middle of a body', async () => {
  await expect(httpFetch(new Request('http://127.0.0.1:9/'), {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  const half = await send('/half');
  await expect(half.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('ends with its signal', async () => {
  const controller = new AbortController();
  const sent = send('/silent', {}, controller.signal);
  setImmediate(() => controller.abort());
  await expect(sent).rejects.toThrow('aborted');
});
