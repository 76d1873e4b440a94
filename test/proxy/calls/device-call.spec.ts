import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../../src/device-api/http.js';
import { systemActor } from '../../../src/platform/actor.js';
import { type AppError } from '../../../src/platform/errors.js';
import { Admission } from '../../../src/proxy/admission/admission.js';
import { DeviceCall, type ProcessOfCalls } from '../../../src/proxy/calls/device-call.js';
import { checkPath, singleCall } from '../../../src/proxy/connections/call-request.js';
import { CollectedAnswer } from '../../../src/proxy/connections/collector.js';
import { Slots } from '../../../src/proxy/connections/slots.js';
import { until } from '../../support/until.js';

/* One call against a bare socket: what it gives back, and what its sink is told, however it ends. */

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
  const held = { sessions: 0, connections: 0, sinkErrors: 0 };
  const slots = new Slots();
  const nothing = () => undefined;
  const parts = {
    admission: new Admission(),
    slots,
    devices: { getCached: () => registered, get: () => Promise.resolve(registered) },
    sessions: {
      acquire: () => ++held.sessions,
      release: () => --held.sessions,
      token: () => token,
      markUsed: nothing,
      markDead: () => false,
    },
    transport: { acquireConnection: () => (++held.connections, { client }), release: () => --held.connections },
    breakers: {
      check: nothing,
      enter: nothing,
      answered: nothing,
      failed: nothing,
      unanswered: nothing,
      abandoned: nothing,
    },
    clock: { sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / 10)) },
    requireCallable: nothing,
    measure: nothing,
    recordSeen: nothing,
    storeObservations: () => Promise.resolve(),
    logSinkError: () => ++held.sinkErrors,
  };
  const left = () => ({ ...held, taken: slots.describe('d').read.taken });
  return { parts: parts as unknown as ProcessOfCalls, left, slots, end: () => client.destroy() };
}

class CountingAnswer extends CollectedAnswer {
  ends = 0;
  readonly over = this.done.then(
    () => 'answered',
    ({ code }: AppError) => code,
  );

  constructor() {
    super();
    const { end, fail } = this;
    this.end = () => {
      this.ends++;
      end();
    };
    this.fail = (error) => {
      this.ends++;
      fail(error);
    };
  }
}

const limits = { firstByteMs: 5_000, totalMs: 5_000, maxBytes: 1_000, bytesPerSecond: 1_000_000 };
const request = { call: singleCall('GET', checkPath('/api/system/device/status')), headers: [], body: null, limits };
const NOTHING = { sessions: 0, connections: 0, sinkErrors: 0, taken: 0 };

function open(used: ProcessOfCalls, answer: CountingAnswer, allowed = limits): DeviceCall {
  requests = 0;
  return new DeviceCall(used, 'd', { ...request, limits: allowed }, { actor: systemActor('test') }, answer);
}

describe('a call', () => {
  it('whose deferred 401 broke off is made again, and passes on the next answer alone', async () => {
    script = [(socket) => socket.end('HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\npart'), whole('the answer')];
    const { parts, left, end } = services();
    const answer = new CountingAnswer();
    open(parts, answer).start();

    expect(await answer.over).toBe('answered');
    expect([answer.status, answer.bytes().toString(), answer.ends, left()]).toEqual([200, 'the answer', 1, NOTHING]);
    await end();
  });

  it.each([
    ['before it starts', 0],
    ['while it waits for a slot', 1],
    ['while it waits for a login', 2],
    ['while the device is silent', 3],
    ['before a retry', 4],
  ])('that is cancelled %s ends once, and gives everything back', async (_when, state) => {
    script = [(socket) => (state === 4 ? socket.destroy() : undefined)];
    const { parts, left, slots, end } = services(state === 2 ? new Promise(() => undefined) : 'a token');
    if (state === 1) for (let read = 0; read < 3; read++) slots.tryAcquire('d', 'read', 'other');
    const answer = new CountingAnswer();
    const call = open(parts, answer);
    if (state === 0) call.cancel();
    call.start();
    if (state >= 3) await until(() => Promise.resolve(requests > 0));
    call.cancel();
    call.cancel();

    expect(await answer.over).toMatch(/^(call_given_up|device_answer_cut)$/);
    expect([answer.ends, call.isOver, left()]).toEqual([1, true, { ...NOTHING, taken: state === 1 ? 3 : 0 }]);
    await end();
  });

  it('whose sink throws fails with internal_error, and the process goes on', async () => {
    script = [whole('the answer')];
    const { parts, left, end } = services();
    const answer = new CountingAnswer();
    answer.end = () => {
      throw new TypeError('a defect of the sink');
    };
    open(parts, answer).start();

    expect(await answer.over).toBe('internal_error');
    expect([answer.ends, left()]).toEqual([1, { ...NOTHING, sinkErrors: 1 }]);
    await end();
  });

  it('that cannot ask whether its token is dead fails alone, and the process goes on', async () => {
    script = [(socket) => socket.write('HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n')];
    const { parts, left, end } = services();
    parts.sessions.isAlive = () => Promise.reject(new TypeError('a defect'));
    const answer = new CountingAnswer();
    open(parts, answer).start();

    expect([await answer.over, answer.ends, left()]).toEqual(['internal_error', 1, NOTHING]);
    await end();
  });

  it('ends at its deadline, also while it waits for a login', async () => {
    script = [];
    const short = { ...limits, firstByteMs: 30 };
    for (const token of ['a token', new Promise<string>(() => undefined)]) {
      const { parts, left, end } = services(token);
      const answer = new CountingAnswer();
      open(parts, answer, short).start();
      expect([await answer.over, left()]).toEqual(['device_timeout', NOTHING]);
      await end();
    }
  });
});
