import http, { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RunningAnswers } from '../../../src/auth/access/running-answers.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { addPerson } from '../../support/people.js';
import { rawRequest, type AskOptions, type ProxyAnswer } from '../proxy-world.js';
import { until } from '../../support/until.js';

/* Equal reads at the same time are one call. */

/** A device whose answers come when the test says so. */
class HeldDevice {
  /** Requests beside those of the session. */
  readonly seen: { method: string; url: string; response: ServerResponse }[] = [];
  cancellation = 0;
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  private server!: Server;

  async start(): Promise<string> {
    this.server = createServer((request, response) => this.handle(request, response));
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? '';
    if (url === '/api/unauthorized/status') return say(response, { api_version: '1.9' });
    if (url === '/api/login') return say(response, { token: 'a-token', expires: 299, username: 'admin' });
    this.seen.push({ method: request.method ?? '', url, response });
    response.once('close', () => void (response.writableFinished || this.cancellation++));
    request.resume();
    this.answer(request, response);
  }
}

function say(response: ServerResponse, data: unknown, status = 200): void {
  const body = JSON.stringify({ success: status < 400, data });
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
}

const devices = [new HeldDevice(), new HeldDevice()];
const ids: string[] = [];
let agent: http.Agent;
let world: TestGateway;
let arrived = 0;
const PATH = '/api/system/device/status';

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  world.gateway.app.getHttpServer().on('request', () => void arrived++);
  for (const [index, device] of devices.entries()) {
    const { id } = await world.api.post<{ id: string }>('/v1/devices', {
      name: `held-${index}`,
      baseUrl: await device.start(),
      trust: { mode: 'insecure', expiresAt: new Date(Date.now() + 86_400_000).toISOString() },
      credentials: { username: 'admin', password: 'Secret-123' },
    });
    ids.push(id);
  }
});
afterAll(async () => {
  await world.close();
  for (const device of devices) device.stop();
});
beforeEach(() => {
  agent = new http.Agent({ keepAlive: true });
  arrived = 0;
  for (const device of devices) {
    device.seen.length = 0;
    device.cancellation = 0;
    device.answer = () => undefined;
  }
});
afterEach(() => agent.destroy());

const ask = (path = PATH, options: AskOptions = {}, device = 0, method = 'GET') =>
  rawRequest(world, agent, `/v1/devices/${ids[device]}${path}`, method, options);

const requestId = (index: number) => `shared-read-${index}`;

/** A request that can be given up; settles when it is over. */
function leaving(): { leave: () => void } {
  const request = http.request(`${world.url}/v1/devices/${ids[0]}${PATH}`, {
    headers: { authorization: `Bearer ${world.keys.operator}` },
  });
  request.on('error', () => undefined);
  request.end();
  return { leave: () => request.destroy() };
}

/** Resolves once that many requests have arrived since the test began, and the gateway knows what each of them wants. */
async function taken(count: number): Promise<void> {
  await until(() => arrived >= count);
  // Who asks and for what is found out by the same look-ups for these, which come after all of them.
  for (const role of ['administrator', 'operator', 'administrator', 'operator'] as const) {
    await world.as(role).get(`/v1/devices/${ids[0]}`);
  }
}

/** Resolves once the gateway knows who is gone: what it does after that is the answer to this. */
const left = () => taken(0);

/** Resolves once no answer runs: the second of two sweeps in turn finds none that lasts. */
const untilNoneRuns = () =>
  until(async () => {
    const answers = world.gateway.app.get(RunningAnswers);
    await answers.sweep();
    return Object.keys(await answers.sweep()).length === 0;
  });

describe('equal reads at the same time', () => {
  it('are one call to the device, and all get its status, headers and bytes under ids of their own', async () => {
    const asked = Array.from({ length: 50 }, (_, index) =>
      ask(PATH, { headers: { 'x-request-id': requestId(index) }, role: index % 2 ? 'operator' : 'administrator' }),
    );
    await until(() => devices[0]!.seen.length > 0);
    await taken(50);
    const body = Buffer.from('{"success": false,  "data":\t"odd, and not UTF-8: \xff"}', 'latin1');
    devices[0]!.seen[0]!.response.writeHead(418, {
      'content-type': 'application/json; odd',
      etag: '"7"',
      'set-cookie': 'a=b',
    }).end(body);

    const answers = await Promise.all(asked);

    for (const [index, { status, headers, bytes }] of answers.entries()) {
      expect({ status, bytes }).toEqual({ status: 418, bytes: body });
      expect(headers).toMatchObject({
        'x-request-id': requestId(index),
        'content-type': 'application/json; odd',
        etag: '"7"',
        'proxy-status': 'fleetgate; received-status=418',
      });
      expect(headers['set-cookie']).toBeUndefined();
    }
    const collapsed = answers.filter(({ headers }) => headers['cache-status'] === 'fleetgate; fwd=miss; collapsed');
    expect([devices[0]!.seen.length, collapsed.length]).toEqual([1, 49]);
  });

  it.each<[string, () => Promise<ProxyAnswer>]>([
    ['another query', () => ask(`${PATH}?a=1`)],
    ['another spelling of the path', () => ask(`${PATH}/`)],
    ['another Accept', () => ask(PATH, { headers: { accept: 'text/html' } })],
    ['a body', () => ask(PATH, { body: '{}', headers: { 'content-length': 2 } })],
    ['Cache-Control: no-cache', () => ask(PATH, { headers: { 'cache-control': 'no-cache' } })],
    ['Cache-Control: No-Store', () => ask(PATH, { headers: { 'cache-control': 'max-age=60, No-Store' } })],
    ['another method', () => ask(PATH, {}, 0, 'HEAD')],
  ])('are not equal with %s', async (_what, other) => {
    const asked = [ask(), other()];
    await until(() => devices[0]!.seen.length === 2);
    for (const [index, { response }] of devices[0]!.seen.entries()) {
      say(response, {}, 210 + index);
    }
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([210, 211]));
  });

  it('are equal whatever age of an answer they take: none is kept', async () => {
    const asked = ['max-age=60', 'max-age=0', 'only-if-cached', ''].map((control) =>
      ask(PATH, { headers: { 'cache-control': control } }),
    );
    await until(() => devices[0]!.seen.length > 0);
    await taken(4);
    say(devices[0]!.seen[0]!.response, 'one answer');
    expect((await Promise.all(asked)).map(({ json }) => json['data'])).toEqual(Array(4).fill('one answer'));
    devices[0]!.answer = (_request, response) => say(response, 'a new one');
    expect((await ask(PATH, { headers: { 'cache-control': 'max-age=60' } })).json['data']).toBe('a new one');
  });

  it('are not equal on two devices', async () => {
    const asked = [ask(), ask(PATH, {}, 1)];
    await until(() => devices[0]!.seen.length === 1 && devices[1]!.seen.length === 1);
    say(devices[0]!.seen[0]!.response, 'zero');
    say(devices[1]!.seen[0]!.response, 'one');
    expect((await Promise.all(asked)).map(({ json }) => json['data'])).toEqual(['zero', 'one']);
  });

  it('are judged one by one: without the right there is no answer to share', async () => {
    const auditor = await addPerson(world, 'Alma', [{ role: 'auditor' }]);
    const first = ask();
    await until(() => devices[0]!.seen.length === 1);
    const headers = { authorization: `Bearer ${auditor.key}` };
    expect((await ask(PATH, { role: null, headers })).json).toMatchObject({ code: 'forbidden' });
    expect((await ask(PATH, { role: null })).json).toMatchObject({ code: 'unauthenticated' });
    say(devices[0]!.seen[0]!.response, {});
    expect((await first).status).toBe(200);
  });

  it('share the fault of the gateway too', async () => {
    const asked = Array.from({ length: 5 }, () => ask());
    await until(() => devices[0]!.seen.length === 1);
    await taken(5);
    devices[0]!.seen[0]!.response.socket!.end('this is no HTTP\r\n\r\n');

    const answers = await Promise.all(asked);

    expect(answers.map(({ json }) => json['code'])).toEqual(Array(5).fill('device_answer_invalid'));
    expect(new Set(answers.map(({ json }) => json['requestId'])).size).toBe(5);
    expect(devices[0]!.seen).toHaveLength(1);
  });

  it.each([
    ['that says its length', { 'content-length': 1024 * 1024 + 1 }],
    ['of unknown length', {}],
  ])('do not share an answer above the cap %s: each of the others makes its own call', async (_what, headers) => {
    const large = Buffer.alloc(1024 * 1024 + 1, 'x');
    const asked = Array.from({ length: 4 }, () => ask());
    await until(() => devices[0]!.seen.length === 1);
    await taken(4);
    devices[0]!.answer = (_request, response) => void response.writeHead(200, headers).end(large);
    devices[0]!.seen[0]!.response.writeHead(200, headers).end(large);

    const answers = await Promise.all(asked);

    for (const { status, bytes } of answers)
      expect({ status, same: bytes.equals(large) }).toEqual({ status: 200, same: true });
    expect(devices[0]!.seen).toHaveLength(4);
  });

  it('go on when the one who asked first leaves, and when another leaves', async () => {
    const first = leaving();
    await until(() => devices[0]!.seen.length === 1);
    const staying = ask();
    const third = leaving();
    await taken(3);
    first.leave();
    third.leave();
    await left();
    say(devices[0]!.seen[0]!.response, 'still here');

    expect((await staying).json).toEqual({ success: true, data: 'still here' });
    expect([devices[0]!.seen.length, devices[0]!.cancellation]).toEqual([1, 0]);
    await untilNoneRuns();
  });

  it('leave nothing behind when the only one who wants it leaves', async () => {
    const only = leaving();
    await until(() => devices[0]!.seen.length === 1);
    only.leave();
    await until(() => devices[0]!.cancellation === 1);
    await untilNoneRuns();
    expect(devices[0]!.seen).toHaveLength(1);
  });

  it('end when all have left', async () => {
    const first = leaving();
    await until(() => devices[0]!.seen.length === 1);
    const second = leaving();
    await taken(2);
    second.leave();
    await left();
    expect(devices[0]!.cancellation).toBe(0);
    first.leave();
    await until(() => devices[0]!.cancellation === 1);
  });

  it('are not joined by one that comes after a write: it must see what was written', async () => {
    const before = ask();
    await until(() => devices[0]!.seen.length === 1);
    devices[0]!.answer = (request, response) => say(response, request.method === 'GET' ? 'new' : {});
    expect((await ask('/api/x/config', {}, 0, 'PUT')).status).toBe(200);

    const after = await ask();
    say(devices[0]!.seen[0]!.response, 'old');

    expect([after.json['data'], (await before).json['data']]).toEqual(['new', 'old']);
  });
});
