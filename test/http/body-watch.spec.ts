import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchBodies } from '../../src/http/body-watch.js';
import { until } from '../support/until.js';

/* Limits are so narrow that bytes which were not read yet earn next to nothing. */

const LIMITS = { withinMs: 300, bytesPerSecond: 2e6 };
const BYTES = 16 * 1024 * 1024; // more than the buffers of the system hold

let server: http.Server;
let port: number;
const held: http.IncomingMessage[] = [];

beforeAll(async () => {
  server = http.createServer((request, response) => {
    if (request.url === '/at-once') {
      response.end('done');
      return;
    }
    held.push(request);
    request.once('end', () => response.end('read'));
  });
  watchBodies(server, LIMITS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

/** A caller that sends a head, and `body` as far as it is taken. */
function caller(path: string, body: Buffer | null) {
  const socket = net.connect(port, '127.0.0.1');
  const state = { socket, answer: '', isClosed: false };
  socket.on('data', (chunk) => (state.answer += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.isClosed = true));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${BYTES}\r\n\r\n`);
  if (body) socket.write(body);
  return state;
}

describe('The watch over bodies', () => {
  it('does not take the pauses of the reader for those of the caller', async () => {
    held.length = 0;
    const sender = caller('/held', Buffer.alloc(BYTES));
    await until(() => held[0] && held[0].readableLength > 0);
    // Three callers in turn that send nothing show that the limit has passed three times.
    for (let round = 0; round < 3; round++) {
      const idle = caller('/held', null);
      await until(() => idle.isClosed);
    }
    expect(sender.isClosed).toBe(false);
    held[0]!.resume();
    await until(() => sender.answer.endsWith('read') || sender.isClosed);
    expect(sender.answer).toMatch(/^HTTP\/1\.1 200 /);
    sender.socket.destroy();
  });

  it('ends the connection of a caller that goes on sending after the answer', async () => {
    const sender = caller('/at-once', null);
    const bytes = setInterval(() => sender.socket.writable && sender.socket.write(Buffer.alloc(100)), 20);
    await until(() => sender.isClosed);
    clearInterval(bytes);
    expect(sender.answer).toMatch(/^HTTP\/1\.1 200 .*done/s);
  });
});
