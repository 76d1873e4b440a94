import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { startTestGateway } from '../support/gateway.js';
import { freePort } from '../support/servers/free-port.js';

/* The health check of the image, by the bash that is in its base. */

const BASH = '/bin/bash';
const reason = spawnSync(BASH, ['--version']).status === 0 ? '' : `, skipped: there is no ${BASH}`;

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server = undefined;
});

/** @returns its exit code */
async function check(port: number): Promise<number> {
  const ran = promisify(execFile)(BASH, ['deploy/healthcheck.sh'], { env: { PORT: String(port) } });
  return ran.then(
    () => 0,
    (error: { code: number }) => error.code,
  );
}

async function listen(made: Server): Promise<number> {
  server = made.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe.skipIf(reason !== '')(`the health check${reason}`, () => {
  it('asks a gateway whether it lives', async () => {
    const gateway = await startTestGateway({});
    expect(await check(Number(new URL(gateway.url).port))).toBe(0);
    await gateway.close();
  });

  it.each([
    [200, 0],
    [204, 1],
    [301, 1],
    [404, 1],
    [500, 1],
    [503, 1],
  ])('an answer with %s ends it with %s', async (status, code) => {
    const asked: string[] = [];
    const port = await listen(
      createHttpServer((request, response) => {
        asked.push(`${request.method} ${request.url} ${request.headers.host}`);
        response.writeHead(status).end('{"status":"ok"}');
      }),
    );
    expect(await check(port)).toBe(code);
    expect(asked).toEqual(['GET /health/live 127.0.0.1']);
  });

  it.each([
    ['nothing', ''],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an empty line', '\r\n'],
    ['half a line', 'HTTP/1.1 '],
  ])('an end after %s is no answer', async (_, text) => {
    const port = await listen(createServer((socket) => socket.end(text).on('error', () => undefined)));
    expect(await check(port)).toBe(1);
  });

  it('a port without a listener is no answer', async () => expect(await check(await freePort())).toBe(1));
});
