import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ExternalHttp } from '../../src/platform/external-http.js';

/* Requests to key servers, sign-in providers and witnesses, against servers that do what they should not. */

const LIMITS = { timeoutMs: 60_000, answerMaxBytes: 16 * 1024 };

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a request to another system', () => {
  it('has its body and headers, and gives status, headers and body of the answer', async () => {
    const url = await listen((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => (body += part.toString()));
      request.on('end', () => response.writeHead(418, { 'x-kind': 'tea' }).end(`${request.method} ${body}`));
    });
    const answer = await new ExternalHttp(LIMITS).send(url, { method: 'POST', body: 'green' });
    expect([answer.status, answer.headers['x-kind'], answer.body.toString()]).toEqual([418, 'tea', 'POST green']);
  });

  it('does not follow a redirect, and asks for no compression', async () => {
    const seen: unknown[] = [];
    const url = await listen((request, response) => {
      seen.push([request.url, request.headers['accept-encoding']]);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect((await new ExternalHttp(LIMITS).send(url, { method: 'GET' })).status).toBe(302);
    expect(seen).toEqual([['/', undefined]]);
  });

  it.each([
    ['says its length', true],
    ['does not say its length', false],
  ])('ends with an answer that is too large and %s', async (_how, hasLength) => {
    const size = LIMITS.answerMaxBytes + 1;
    const url = await listen((_request, response) => {
      response.writeHead(200, hasLength ? { 'content-length': size } : {}).end(Buffer.alloc(size));
    });
    const http = new ExternalHttp(LIMITS);
    await expect(http.send(url, { method: 'GET' })).rejects.toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });

  it('takes the largest answer, though its server closes at once', async () => {
    const url = await listen((_request, response) => {
      response.shouldKeepAlive = false;
      response.writeHead(200).end(Buffer.alloc(LIMITS.answerMaxBytes));
    });
    const { body } = await new ExternalHttp(LIMITS).send(url, { method: 'GET' });
    expect(body.length).toBe(LIMITS.answerMaxBytes);
  });

  it('ends at its time limit, and at the signal of its caller, also when bytes keep coming', async () => {
    const url = await listen((_request, response) => {
      const drops = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(drops));
    });
    const hasty = new ExternalHttp({ ...LIMITS, timeoutMs: 50 });
    await expect(hasty.send(url, { method: 'GET' })).rejects.toMatchObject({ name: 'TimeoutError' });
    const caller = new AbortController();
    const waiting = new ExternalHttp(LIMITS).send(url, { method: 'GET', signal: caller.signal });
    caller.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
  });

  it('names what the system says when there is no answer', async () => {
    const closed = new ExternalHttp(LIMITS).send('http://127.0.0.1:9', { method: 'GET' });
    await expect(closed).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a proxy of the environment', () => {
  it('is used only where it is wanted', async () => {
    const asked: string[] = [];
    const proxy = await listen((_request, response) => response.end());
    servers.at(-1)!.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const before = process.env['HTTPS_PROXY'];
    process.env['HTTPS_PROXY'] = proxy;
    try {
      const [used, passedBy] = [new ExternalHttp({ ...LIMITS, usesProxy: true }), new ExternalHttp(LIMITS)];
      await expect(used.send('https://127.0.0.1:9/', { method: 'GET' })).rejects.toThrow(/proxy|502/i);
      expect(asked).toEqual(['127.0.0.1:9']);
      await expect(passedBy.send('https://127.0.0.1:9/', { method: 'GET' })).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      });
      expect(asked).toHaveLength(1);
    } finally {
      if (before === undefined) delete process.env['HTTPS_PROXY'];
      else process.env['HTTPS_PROXY'] = before;
    }
  });
});
