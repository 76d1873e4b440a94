import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../../src/device-api/http.js';
import { systemActor } from '../../../src/platform/actor.js';
import { type AppError } from '../../../src/platform/errors.js';
import { Admission } from '../../../src/proxy/admission/admission.js';
import { CallExecutor } from '../../../src/proxy/calls/call-executor.js';
import { Cancellation } from '../../../src/proxy/connections/cancellation.js';
import { checkPath, singleCall } from '../../../src/proxy/connections/call-request.js';
import { Collector } from '../../../src/proxy/connections/collector.js';
import { until } from '../../support/until.js';

/* One call against a bare socket: what it gives back, and how it ends. */

/** What the device does with each of its requests, in their order. */
let script: ((socket: Socket) => void)[] = [];
let server: Server;
let requests = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => script[requests++]?.(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

const whole = (text: string) => (socket: Socket) =>
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);

/** What a call uses, with counters of what it has taken and not given back. */
function services(token: string | Promise<string> = 'a token') {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rules = { forbids: () => null, takePin: (pin: string) => Promise.resolve(pin) };
  const client = openClient(origin, { mode: 'insecure' }, rules);
  const registered = { device: { id: 'd', state: 'online', profile: 'spec' }, account: null, readAccount: null };
  const held = { sessions: 0, connections: 0 };
  const nothing = () => undefined;
  const devices = { getCached: () => registered, get: () => Promise.resolve(registered) };
  const sessions = {
    acquire: () => ++held.sessions,
    release: () => --held.sessions,
    token: () => token,
    isAlive: () => Promise.resolve(true),
    markUsed: nothing,
    markDead: () => false,
  };
  const transport = { acquireConnection: () => (++held.connections, { client }), release: () => --held.connections };
  const parts = [
    devices,
    transport,
    sessions,
    { check: nothing, enter: nothing, answered: nothing },
    { failed: () => Promise.resolve(), seen: nothing },
    new Admission(),
    {},
    { refuseDevice: nothing },
    {},
    { deviceCalls: { observe: nothing } },
    { sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / 10)) },
    { isShared: false },
    { DEVICE_BODY_LIMIT_BYTES: 1_000 },
  ];
  const executor = new CallExecutor(...(parts as unknown as ConstructorParameters<typeof CallExecutor>));
  const left = () => ({ ...held, taken: executor.slots.describe('d').read.taken });
  return { executor, sessions, left, end: () => client.destroy() };
}

const limits = { firstByteMs: 60_000, totalMs: 60_000, maxBytes: 1_000, bytesPerSecond: 1_000_000 };
const request = { call: singleCall('GET', checkPath('/api/system/device/status')), headers: [], body: null, limits };
const NOTHING = { sessions: 0, connections: 0, taken: 0 };

/** Makes a call. @returns how it ended */
function execute(
  executor: CallExecutor,
  answer: Collector,
  { allowed = limits, cancellation = new Cancellation() } = {},
): Promise<string> {
  requests = 0;
  const asked = { ...request, limits: allowed };
  return executor.execute('d', asked, { actor: systemActor('test') }, answer, cancellation).then(
    () => 'answered',
    ({ code }: AppError) => code,
  );
}

describe('a call', () => {
  it('whose deferred 401 broke off is made again, and passes on the next answer alone', async () => {
    script = [(socket) => socket.end('HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\npart'), whole('the answer')];
    const { executor, left, end } = services();
    const answer = new Collector();

    expect(await execute(executor, answer)).toBe('answered');
    expect([answer.status, answer.bytes().toString(), left()]).toEqual([200, 'the answer', NOTHING]);
    await end();
  });

  it.each([
    ['before it starts', 0],
    ['while it waits for a slot', 1],
    ['while it waits for a login', 2],
    ['while the device is silent', 3],
    ['before a retry', 4],
  ])('that is cancelled %s ends, and gives everything back', async (_when, state) => {
    script = [(socket) => (state === 4 ? socket.destroy() : undefined)];
    const { executor, left, end } = services(state === 2 ? new Promise(() => undefined) : 'a token');
    if (state === 1) for (let read = 0; read < 3; read++) executor.slots.tryAcquire('d', 'read', 'other');
    const cancellation = new Cancellation();
    if (state === 0) cancellation.cancel();
    const over = execute(executor, new Collector(), { cancellation });
    if (state >= 3) await until(() => Promise.resolve(requests > 0));
    cancellation.cancel();
    cancellation.cancel();

    expect(await over).toMatch(/^(call_given_up|device_answer_cut)$/);
    expect(left()).toEqual({ ...NOTHING, taken: state === 1 ? 3 : 0 });
    await end();
  });

  it('whose sink throws fails alone, and the process goes on', async () => {
    script = [whole('the answer')];
    const { executor, left, end } = services();
    const answer = new Collector();
    answer.data = () => {
      throw new TypeError('a defect of the sink');
    };

    expect([await execute(executor, answer), left()]).toEqual(['device_answer_cut', NOTHING]);
    await end();
  });

  it('that cannot ask whether its token is dead fails alone, and the process goes on', async () => {
    script = [(socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n')];
    const { executor, sessions, left, end } = services();
    sessions.isAlive = () => Promise.reject(new TypeError('a defect'));

    expect([await execute(executor, new Collector()), left()]).toEqual(['internal_error', NOTHING]);
    await end();
  });

  it('ends at its deadline, also while it waits for a login', async () => {
    script = [];
    const allowed = { ...limits, firstByteMs: 30 };
    for (const token of ['a token', new Promise<string>(() => undefined)]) {
      const { executor, left, end } = services(token);
      expect([await execute(executor, new Collector(), { allowed }), left()]).toEqual(['device_timeout', NOTHING]);
      await end();
    }
  });
});
