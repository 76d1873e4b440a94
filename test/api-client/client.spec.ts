import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient, ApiError, ConnectionError, type ApiClientOptions } from '../../src/api-client/api-client.js';
import { type WatchedJob } from '../../src/api-client/api-client.js';

/* The client against a server that answers as each test says. */

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

type Reply = (response: http.ServerResponse) => void;

let server: http.Server;
let url: string;
let received: ReceivedRequest[];
let replies: Reply[];

/** Each test has its own: a request that a test gave up may arrive later, and must take no reply of the next one. */
beforeEach(async () => {
  received = [];
  replies = [];
  const own = http.createServer((request, response) => {
    if (own !== server) return response.destroy();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, url: path, headers, body: Buffer.concat(chunks).toString() });
      if (own === server) (replies.shift() ?? json({}))(response);
    });
  });
  server = own;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const clientWith = (options: Partial<ApiClientOptions> = {}) =>
  new ApiClient({ url, key: 'fg_secret', attempts: 3, maxWaitMs: 5_000, ...options });

const json =
  (body: unknown, status = 200, headers: http.OutgoingHttpHeaders = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

const problem = (status: number, code: string, headers: http.OutgoingHttpHeaders = {}): Reply =>
  json({ title: 'It did not work', status, code, detail: 'Do something', requestId: 'r-1' }, status, {
    'content-type': 'application/problem+json',
    ...headers,
  });

const breakOff: Reply = (response) => response.destroy();

const errorOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => null,
    (error: unknown) => error,
  );

const job = (more: object) => ({ id: 'j', phase: 'running', step: 'a', progress: null, ...more });

describe('a request', () => {
  it('reads an answer without content that has a body, as Chromium gives it', async () => {
    const fetch = async () =>
      Object.defineProperty(new Response(null, { status: 204 }), 'body', { value: new Blob([]).stream() });
    const params = { path: { ref: 'name:pump-1' } };
    expect(await errorOf(clientWith({ fetch }).delete('/v1/devices/{ref}', { params }))).toBeNull();
  });

  it('takes a reason in any letters, as the bytes that the gateway reads', async () => {
    replies = [json({ id: 'd' }, 201), json({ id: 'd' }, 201), json({ id: 'd' }, 201), json({})];
    const body = { name: 'pump-1', baseUrl: 'https://192.0.2.7' };
    const reason = 'Ąžuolas, 東京';
    await clientWith({ headers: { 'x-change-reason': reason } }).post('/v1/devices', { body });
    await clientWith().post('/v1/devices', { body, headers: { 'x-change-reason': reason } });
    await clientWith().post('/v1/devices', { body, params: { header: { 'X-Change-Reason': reason } } });
    await clientWith().request('GET', '/v1/self', { headers: { 'x-change-reason': reason } });
    const reasons = received.map(({ headers }) =>
      Buffer.from(String(headers['x-change-reason']), 'latin1').toString('utf8'),
    );
    expect(reasons).toEqual([reason, reason, reason, reason]);
  });

  it('has the key, the query and the body of its types', async () => {
    replies = [json({ id: 'd' }, 201)];
    const body = { name: 'pump-1', baseUrl: 'https://192.0.2.7' };
    await clientWith({ headers: { 'x-change-reason': 'new site' } }).post('/v1/devices', { body });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/devices',
        body: JSON.stringify(body),
        headers: {
          authorization: 'Bearer fg_secret',
          'content-type': 'application/json',
          'x-change-reason': 'new site',
          'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
        },
      },
    ]);
  });

  it('has no Idempotency-Key where the operation takes none, and that of the caller where there is one', async () => {
    const client = clientWith();
    await client.get('/v1/devices', { params: { query: { limit: 5 } } });
    await client.post('/v1/api-keys', { body: { operatorId: 'o', name: 'n' } });
    const params = { header: { 'Idempotency-Key': 'my-own-key' } };
    await client.post('/v1/devices', { params, body: { name: 'a', baseUrl: 'https://192.0.2.7' } });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined, 'my-own-key']);
    expect(received[0]?.url).toBe('/v1/devices?limit=5');
  });

  it.each([
    ['application/json', true],
    ['Application/JSON', true],
    ['APPLICATION/JSON; charset=utf-8', true],
    ['application/json;charset=utf-8', true],
    ['text/json', true],
    ['Application/Vnd.Maker+Json', true],
    ['text/plain', false],
    ['application/jsonx', false],
    ['text/plain; of=application/json', false],
    ['application/x-ndjson', false],
  ])('reads an answer with the media type %j as JSON: %s', async (type, isJson) => {
    replies = [json({ id: 'd' }, 200, { 'content-type': type })];
    const body: unknown = await clientWith().get('/v1/devices/{ref}', { params: { path: { ref: 'name:a' } } });
    expect(body).toEqual(isJson ? { id: 'd' } : '{"id":"d"}');
  });

  it('gives status and headers, and nothing for an empty answer', async () => {
    replies = [json({ id: 'd' }, 200, { etag: '"1"' }), (response) => response.writeHead(204).end()];
    const params = { path: { ref: 'name:a' } };
    const { headers, body } = await clientWith().answer('get', '/v1/devices/{ref}', { params });
    expect([headers.get('etag'), body]).toEqual(['"1"', { id: 'd' }]);
    expect(await clientWith().delete('/v1/devices/{ref}', { params })).toBeUndefined();
  });

  it('sends bytes and streams as they are', async () => {
    const stream = new Blob(['from a ', 'stream']).stream();
    await clientWith().upload('/v1/artifacts', new TextEncoder().encode('bytes'), { type: 'application/octet-stream' });
    await clientWith().upload('/v1/artifacts', stream, { type: 'application/octet-stream' });
    expect(received.map(({ body }) => body)).toEqual(['bytes', 'from a stream']);
  });

  it('gives bytes as they are', async () => {
    replies = [(response) => response.end(Buffer.from([0, 255, 10]))];
    const params = { path: { artifactId: 'a' } };
    expect([...(await clientWith().bytes('/v1/artifacts/{artifactId}/content', { params }))]).toEqual([0, 255, 10]);
  });
});

describe('a refusal', () => {
  it('is an ApiError with code, title, detail, pointers and request id', async () => {
    const errors = [{ pointer: '/name', detail: 'is too long' }, { pointer: 1 }, null];
    const body = { title: 'Wrong', status: 400, code: 'invalid_input', detail: 'Fix it', requestId: 'r-1', errors };
    replies = [json(body, 400, { 'content-type': 'application/problem+json' })];
    const error = await errorOf(clientWith().get('/v1/devices'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid_input',
      message: 'invalid_input: Wrong',
      title: 'Wrong',
      detail: 'Fix it',
      pointers: [{ pointer: '/name', detail: 'is too long' }],
      requestId: 'r-1',
      problem: body,
    });
  });

  it('by another server is one, too, with little of its text', async () => {
    replies = [(response) => response.writeHead(502, { 'content-type': 'text/html' }).end('x'.repeat(1_000_000))];
    const error = (await errorOf(clientWith().get('/v1/devices'))) as ApiError;
    expect(error).toMatchObject({ status: 502, code: 'unexpected_answer', requestId: null });
    expect(JSON.stringify(error.problem).length).toBeLessThan(1_000);
  });

  it.each([200, 404, 413, 502])('is a page of a proxy with status %s, however it was asked for', async (status) => {
    const page: Reply = (response) =>
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end('<html>Sign in</html>');
    const path = '/v1/devices';
    for (const send of [
      () => clientWith().get(path),
      () => clientWith().request('GET', '/v1/devices/name:a/api/x'),
      () => clientWith().stream('get', path),
      () => clientWith().bytes(path),
      () => clientWith().upload('/v1/artifacts', new Uint8Array([1])),
    ]) {
      replies = [page];
      expect(await errorOf(send())).toMatchObject({ status, code: 'unexpected_answer' });
    }
  });

  it('is none of a page that the gateway itself gives', async () => {
    replies = [
      (response) => response.writeHead(200, { 'content-type': 'text/html', 'x-request-id': 'r-1' }).end('<p>'),
    ];
    const params = { path: { rolloutId: 'r' }, query: { format: 'html' as const } };
    expect(await clientWith().get('/v1/rollouts/{rolloutId}/report', { params })).toBe('<p>');
  });

  it('of a device is an answer for a raw request', async () => {
    replies = [json({ success: false }, 422, { 'x-request-id': 'r-1' }), problem(404, 'device_not_found')];
    const answer = await clientWith().request('GET', '/v1/devices/name:a/api/x?y=1');
    expect([answer.status, await answer.json(), received[0]?.url]).toEqual([
      422,
      { success: false },
      '/v1/devices/name:a/api/x?y=1',
    ]);
    await expect(clientWith().request('GET', '/v1/devices/name:a/api/x')).rejects.toMatchObject({ status: 404 });
  });

  it.each([301, 302, 307, 308])('of status %s is not followed, so the key goes nowhere else', async (status) => {
    for (const send of [
      () => clientWith().get('/v1/devices'),
      () => clientWith().request('GET', '/v1/devices'),
      () => clientWith().stream('get', '/v1/devices'),
    ]) {
      replies = [(response) => response.writeHead(status, { location: `${url}/elsewhere` }).end()];
      expect(await errorOf(send())).toMatchObject({ status, code: 'redirect_refused' });
    }
    expect(received.map((one) => one.url)).toEqual(['/v1/devices', '/v1/devices', '/v1/devices']);
  });

  it('never has the key in it', async () => {
    replies = [problem(500, 'internal_error'), breakOff];
    const api = clientWith({ attempts: 1 });
    for (const error of [await errorOf(api.get('/v1/jobs')), await errorOf(api.get('/v1/jobs'))]) {
      const { message, stack, cause } = error as Error;
      expect(JSON.stringify([message, stack, String(cause), error])).not.toContain('fg_secret');
    }
  });
});

describe('a request is repeated', () => {
  it('after 429, when Retry-After has passed, with the same Idempotency-Key', async () => {
    replies = [problem(429, 'rate_limited', { 'retry-after': '0' }), json({ id: 'd' }, 201)];
    await clientWith().post('/v1/devices', { body: { name: 'a', baseUrl: 'https://192.0.2.7' } });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size, received[1]?.body]).toEqual([2, 1, received[0]?.body]);
  });

  it('after a lost connection, when it reads or has an Idempotency-Key', async () => {
    replies = [breakOff, json({ items: [], next: null }), breakOff, json({ id: 'd' }, 201)];
    await clientWith().get('/v1/jobs');
    await clientWith().post('/v1/devices', { body: { name: 'a', baseUrl: 'https://192.0.2.7' } });
    expect(received).toHaveLength(4);
  });

  it('not after a lost connection, when it writes without one', async () => {
    replies = [breakOff];
    const error = await errorOf(clientWith().post('/v1/api-keys', { body: { operatorId: 'o', name: 'n' } }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect([received.length, (error as ConnectionError).reason]).toEqual([1, 'network']);
  });

  it.each([
    ['503 of a write, which may have happened', 'post', problem(503, 'database_unavailable', { 'retry-after': '0' })],
    ['429 of a device, which has its own reasons', 'get', json({}, 429, { 'retry-after': '0' })],
    ['a wait that is longer than the caller allows', 'get', problem(429, 'rate_limited', { 'retry-after': '60' })],
    ['500', 'get', problem(500, 'internal_error')],
  ] as const)('not after %s', async (_why, method, reply) => {
    replies = [reply];
    const client = clientWith();
    await errorOf(
      method === 'get'
        ? client.get('/v1/jobs')
        : client.post('/v1/devices', { body: { name: 'a', baseUrl: 'https://192.0.2.7' } }),
    );
    expect(received).toHaveLength(1);
  });

  it('no more often than allowed', async () => {
    replies = Array.from({ length: 9 }, () => problem(429, 'rate_limited', { 'retry-after': '0' }));
    expect(await errorOf(clientWith().get('/v1/jobs'))).toMatchObject({ code: 'rate_limited' });
    expect(received).toHaveLength(3);
  });
});

describe('a time limit', () => {
  const timeoutMs = 200;

  it('ends a request without an answer', async () => {
    replies = [() => undefined];
    const error = await errorOf(clientWith({ timeoutMs }).get('/v1/jobs'));
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'timeout' });
    expect(received.length).toBeLessThan(2); // on a busy machine it may end before it arrives
  });

  it.each([200, 400])('ends an answer with %i that never ends', async (status) => {
    replies = [(response) => response.writeHead(status, { 'content-type': 'application/problem+json' }).write('{')];
    const error = await errorOf(clientWith({ timeoutMs }).get('/v1/jobs'));
    expect(error).toMatchObject({ name: 'ConnectionError', reason: 'timeout' });
  });

  it('of the caller is thrown as its reason, also while the client waits', async () => {
    replies = [() => undefined, problem(429, 'rate_limited', { 'retry-after': '5' })];
    for (let n = 0; n < 2; n++) {
      const signal = AbortSignal.timeout(30);
      expect(await errorOf(clientWith().get('/v1/jobs', { signal }))).toBe(signal.reason);
    }
  });

  it('of the caller ends a stream, also where Node has forgotten the signal of the request', async () => {
    // As when the request was collected while its answer is still read: the signal does nothing to this answer.
    const endless = () => new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a')) });
    const fetch = () => Promise.resolve(new Response(endless()));
    const stop = new AbortController();
    const { body } = await clientWith({ fetch }).request('GET', '/v1/events', { signal: stop.signal });
    const reader = body!.getReader();
    await reader.read();
    stop.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
  });
});

describe('by hand', () => {
  it('pages go from cursor to cursor and keep the query', async () => {
    replies = [json({ items: [{ id: 1 }, { id: 2 }], next: 'c1' }), json({ items: [{ id: 3 }], next: null })];
    const ids: unknown[] = [];
    for await (const { id } of clientWith().items('/v1/jobs', { params: { query: { limit: 2 } } })) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
    expect(received.map((one) => one.url)).toEqual(['/v1/jobs?limit=2', '/v1/jobs?limit=2&cursor=c1']);
  });

  it('a job is read until it has ended, and each change is told', async () => {
    const waiting = job({ waitReason: 'device_offline' });
    replies = [json(job({})), json(job({})), json(waiting), json(job({ step: 'b', phase: 'ended' }))];
    const steps: unknown[] = [];
    const onChange = ({ step, waitReason }: WatchedJob) => steps.push(waitReason ?? step);
    const { phase } = await clientWith().jobs.wait('j', { onChange });
    expect([phase, steps]).toEqual(['ended', ['a', 'device_offline', 'b']]);
  });

  it('a fan-out gives its lines', async () => {
    replies = [(response) => response.end('{"type":"result","name":"a"}\n{"type":"summary","total":1}\n')];
    const types: string[] = [];
    const call = { selector: 'tag:pump', request: { method: 'GET', path: '/api/x' } } as const;
    for await (const line of clientWith().fanOut(call)) types.push(line.type);
    expect(types).toEqual(['result', 'summary']);
    expect(received[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('events continue after the last one when the stream breaks', async () => {
    const events =
      (text: string): Reply =>
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
        setImmediate(() => response.destroy());
      };
    const event = (id: string) => `id: ${id}\nevent: job.ended\ndata: {"type":"job.ended"}\n\n`;
    replies = [events('id: 1.0\n\n'), events(event('1.1')), problem(503, 'shutting_down'), events(event('1.2'))];
    const ids: string[] = [];
    const breaks: string[] = [];
    const stop = new AbortController();
    const options = { types: ['job.*'], signal: stop.signal, onBreak: ({ message }: Error) => breaks.push(message) };
    for await (const { id } of clientWith({ attempts: 1 }).events(options)) if (ids.push(id) === 2) stop.abort();
    expect(ids).toEqual(['1.1', '1.2']);
    expect(received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1.0', '1.1', '1.1']);
    expect(received[0]?.url).toBe('/v1/events?types=job.*');
    expect(breaks).toHaveLength(3);
  });

  it('events end with the refusal that waiting does not change', async () => {
    replies = [problem(403, 'forbidden')];
    await expect(clientWith().events().next()).rejects.toMatchObject({ code: 'forbidden' });
  });
});
