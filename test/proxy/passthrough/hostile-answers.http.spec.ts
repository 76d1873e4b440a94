import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AnsweringDevice } from '../../support/devices/answering-device.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';

/* Answers that are built to hold up whoever looks through them, or to break what writes them. */

const PATH = '/api/some/service/global';
const DEEP = `{"success":true,"data":${'['.repeat(60_000)}${']'.repeat(60_000)}}`;
const GOOD = '{"success":true,"data":{"a":"b"}}';

/** A linear gateway takes at most 8 times as long for 8 times the text, a quadratic one 64 times. */
const GROWTH = 24;

let world: TestGateway;
const devices = [new AnsweringDevice(), new AnsweringDevice()] as const;
const ids: string[] = [];
let sent = 0;

beforeAll(async () => {
  world = await startTestGateway();
  for (const [index, device] of devices.entries()) ids.push(await device.register(world.api, `d-${index}`, ['f']));
});
afterAll(async () => {
  for (const device of devices) device.close();
  await world.close();
});
afterEach(() => {
  for (const device of devices) Object.assign(device, { answer: GOOD, status: 200, refusal: null, raw: null });
});

type Role = keyof TestGateway['keys'];

async function ask(role: Role, method: string, path: string, json?: unknown) {
  const answer = await fetch(world.url + path, {
    method,
    headers: {
      authorization: `Bearer ${world.keys[role]}`,
      'idempotency-key': `hostile-${++sent}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  return { status: answer.status, text };
}

/** The shortest of several times that a request takes, in milliseconds. */
async function shortest(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

describe('an answer that is built to be slow to look through', () => {
  it.each([
    ['words with dots', (length: number) => ({ text: `secret ${'a.'.repeat(length / 2)}` })],
    ['colons behind an address', (length: number) => ({ text: `://${':'.repeat(length)}` })],
    ['figures in a name', (length: number) => ({ [`${'1'.repeat(length)}a`]: 'text' })],
  ])('takes as many times longer as it is longer: %s', async (_what, dataOf) => {
    const take = async (length: number) => {
      devices[0].answer = JSON.stringify({ success: true, data: dataOf(length) });
      return shortest(() => ask('viewer', 'GET', `/v1/devices/${ids[0]}${PATH}`));
    };
    await take(1_000);
    const short = await take(15_000);
    expect((await take(120_000)) / short).toBeLessThan(GROWTH);
  });

  it('is as quick to note as the body of a write', async () => {
    const take = (length: number) =>
      shortest(() =>
        ask('operator', 'PUT', `/v1/devices/${ids[0]}${PATH}`, { data: { text: `secret ${'a.'.repeat(length / 2)}` } }),
      );
    await take(1_000);
    const short = await take(1_900);
    expect((await take(15_500)) / short).toBeLessThan(GROWTH);
  });

  it('is the answer to a durable call like any other', async () => {
    devices[0].answer = JSON.stringify({ success: true, data: { text: `secret ${'a.'.repeat(60_000)}` } });
    const spec = { method: 'GET', path: PATH };
    const made = await ask('operator', 'POST', `/v1/devices/${ids[0]}/jobs`, { kind: 'call', spec });
    const { id } = JSON.parse(made.text) as { id: string };
    const job = () => world.api.get<{ phase: string; outcome: string; attempts: number }>(`/v1/jobs/${id}`);
    await until(async () => (await job()).phase === 'ended');
    expect(await job()).toMatchObject({ outcome: 'succeeded' });
  });
});

interface Line {
  readonly type: string;
  readonly name?: string;
  readonly outcome?: string;
  readonly body?: unknown;
  readonly bodyWithheld?: boolean;
  readonly counts?: Record<string, number>;
}

async function fanOut(role: Role, method: string): Promise<Line[]> {
  const request = { method, path: PATH, ...(method === 'GET' ? {} : { json: { data: { a: 'b' } } }) };
  const { text } = await ask(role, 'POST', '/v1/fan-out', { selector: 'tag:f', request, policy: { bodies: 'all' } });
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .toSorted((one, other) => (one.name ?? 'z').localeCompare(other.name ?? 'z'));
}

describe('an answer that is nested too deeply to be written', () => {
  it.each([
    ['viewer', 'GET'],
    ['administrator', 'GET'],
    ['operator', 'PUT'],
    ['administrator', 'PUT'],
  ] as const)('is told in the line of its device alone, to a %s who sends %s', async (role, method) => {
    devices[0].answer = DEEP;
    const [deep, good, summary] = await fanOut(role, method);
    expect(deep).toMatchObject({ name: 'd-0', outcome: 'succeeded' });
    expect(deep!.bodyWithheld === true || deep!.body === DEEP).toBe(true);
    expect(good).toMatchObject({ name: 'd-1', outcome: 'succeeded', body: JSON.parse(GOOD) });
    expect(summary).toMatchObject({ type: 'summary', counts: { succeeded: 2 } });
  });

  it('is withheld from those who may not read secrets, and stops no call and no job', async () => {
    devices[0].answer = DEEP;
    const { status, text } = await ask('viewer', 'GET', `/v1/devices/${ids[0]}${PATH}`);
    expect([status, JSON.parse(text)]).toEqual([403, expect.objectContaining({ code: 'answer_withheld' })]);
    expect((await ask('administrator', 'GET', `/v1/devices/${ids[0]}${PATH}`)).text).toBe(DEEP);
    expect((await ask('operator', 'PUT', `/v1/devices/${ids[0]}${PATH}`, { data: {} })).status).not.toBe(500);
  });

  it('is refused as the body of a bulk request', async () => {
    const data = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    const answer = await fetch(`${world.url}/v1/devices/${ids[0]}/api/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.keys.operator}`, 'content-type': 'application/json' },
      body: `{"data":[{"endpoint":"/some/global","method":"PUT","data":${data}}]}`,
    });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'invalid_json' })]);
  });
});

describe('an answer whose head is odd', () => {
  const url = () => `${world.url}/v1/devices/${ids[0]}${PATH}`;
  const get = (role: Role) => fetch(url(), { headers: { authorization: `Bearer ${world.keys[role]}` } });
  /** The length stands in front: Node writes the name of a file in another way once it knows the length. */
  const answerWith = (status: string, ...lines: (Buffer | string)[]) => {
    const head = [status, `Content-Length: ${GOOD.length}`, ...lines].flatMap((line) => [line, '\r\n']);
    devices[0].raw = Buffer.concat(['HTTP/1.1 ', ...head, '\r\n', GOOD].map((part) => Buffer.from(part)));
  };

  /** A good answer between two bad ones, so that the breaker lets the next one through. */
  const answerWell = async () => {
    devices[0].raw = null;
    expect((await get('administrator')).status).toBe(200);
  };

  it.each(['viewer', 'administrator'] as const)(
    'reaches a %s with the name of a file in which all is in visible ASCII',
    async (role) => {
      answerWith('200 OK', 'Content-Type: application/json', 'Content-Disposition: attachment; filename="日 %.bin"');
      const answer = await get(role);
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="%E6%97%A5 %.bin"');
      expect([answer.status, await answer.text()]).toEqual([200, GOOD]);
    },
  );

  it('reaches its caller, or is refused by the gateway, with each byte in each header', async () => {
    const names = ['Content-Type', 'Content-Disposition', 'Content-Language', 'ETag', 'Retry-After', 'Allow'];
    const high = Array.from({ length: 128 }, (_, byte) => byte + 128);
    for (const some of [[0], [1], [9], [0x1f], [0x7f], high]) {
      answerWith('200 OK', ...names.map((name) => Buffer.from([...Buffer.from(`${name}: a`), ...some])));
      const answer = await get('administrator');
      const text = await answer.text();
      expect(answer.status === 200 ? text : answer.headers.get('proxy-status')).toMatch(
        /^\{"success"|fleetgate; error=/,
      );
      await answerWell();
    }
  });

  it.each(['200 OK', '600 Odd', '999 Odd', '099 Odd', '000 Odd'])(
    'reaches its caller, or is refused by the gateway, with headers that are there twice and the status %s',
    async (status) => {
      const twice = ['Content-Type: a/b', 'Content-Disposition: inline', 'ETag: "a"', 'Allow: GET', 'Retry-After: 1'];
      answerWith(status, ...twice, ...twice);
      const answer = await get('administrator');
      expect(answer.headers.get('proxy-status')).toMatch(/^fleetgate/);
      if (answer.status !== 502) {
        expect(answer.headers.get('content-disposition')).toBe('inline, inline');
      }
      await answerWell();
    },
  );
});

describe('an error of a device', () => {
  const key = `${'Wi'.repeat(21)}E=`;

  it('shows no key that its sentence holds', async () => {
    const refusal = { success: false, errors: [{ code: 103, error: `Peer ${key} is unknown`, source: 'peer' }] };
    Object.assign(devices[0], { status: 422, answer: JSON.stringify(refusal) });
    const { status, text } = await ask('viewer', 'GET', `/v1/devices/${ids[0]}${PATH}`);
    expect([status, text.includes(key), text.includes('Peer hmac:')]).toEqual([422, false, true]);
  });

  it('shows no password that the gateway has sent with a login', async () => {
    const errors = [{ code: 103, error: 'Secret-123 is weak', value: 'Secret-123' }];
    const device = new AnsweringDevice();
    device.refusal = JSON.stringify({ success: false, errors });
    try {
      const id = await device.register(world.api, 'refusing');
      const { status, text } = await ask('administrator', 'GET', `/v1/devices/${id}${PATH}`);
      expect([status < 500 || status === 502, text.includes('Secret-123')]).toEqual([true, false]);
    } finally {
      device.close();
    }
  });
});
