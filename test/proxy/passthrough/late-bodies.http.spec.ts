import { once } from 'node:events';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Refusals } from '../../../src/audit/entries/refusals.js';
import { addPerson, type Person } from '../../support/people.js';
import { until } from '../../support/until.js';
import { rawRequest, startProxyWorld, type ProxyWorld } from '../proxy-world.js';

/* A body can come long after its head: what counts is who may send it when it is there. */

let proxy: ProxyWorld;
let made = 0;
const agent = new http.Agent({ keepAlive: true });

beforeAll(async () => {
  proxy = await startProxyWorld({ devices: 1, profile: 'rutos', timeScale: 200 });
  await proxy.world.api.send('PATCH', `/v1/devices/${proxy.ids[0]}`, { tags: ['pump'] });
});
afterAll(async () => {
  agent.destroy();
  await proxy.close();
});
afterEach(async () => {
  const { api } = proxy.world;
  const { items } = await api.get<{ items: { id: string }[] }>('/v1/locks');
  for (const { id } of items) await api.send('DELETE', `/v1/locks/${id}`);
  await api.send('PATCH', `/v1/devices/${proxy.ids[0]}`, { tags: ['pump'] });
});

const WIREGUARD = '/api/wireguard/config';

/** A write in a form of its own, which makes something on the device. */
interface Write {
  readonly address: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The length of its first part. */
  readonly first?: number;
}

const wish = () => ({ data: { id: `wg${++made}` } });
const SINGLE = (): Write => ({ address: `/v1/devices/${proxy.ids[0]}${WIREGUARD}`, body: JSON.stringify(wish()) });
const BULK = (): Write => {
  const data = [{ endpoint: WIREGUARD, method: 'POST', ...wish() }];
  return { address: `/v1/devices/${proxy.ids[0]}/api/bulk`, body: JSON.stringify({ data }) };
};
const FAN_OUT = (): Write => {
  const body = JSON.stringify({ selector: 'all', request: { method: 'POST', path: WIREGUARD, json: wish() } });
  const headers = { 'idempotency-key': `late-fan-out-${made}`, 'content-length': String(body.length) };
  return { address: '/v1/fan-out', body, headers };
};
/** A body that is too long to be read first. */
const STREAMED = (): Write => {
  const { address, body } = SINGLE();
  const first = 100_000;
  return { address, body: ' '.repeat(first) + body, first, headers: { 'transfer-encoding': 'chunked' } };
};

/** What came of a request: the code of its refusal, else its status; or that its connection broke. */
type End = Promise<string | number>;

/**
 * Sends the head of a write and the first bytes of its body.
 * @returns how to send the rest; by then the gateway has found that the write is allowed
 */
async function begin(
  { key }: Person,
  { address, body, headers, first = 5 }: Write,
): Promise<{ rest: () => void; end: End }> {
  // Who asks and which device it is are in memory from here on: both are known before a byte of the next body is read.
  await rawRequest(proxy.world, agent, `/v1/devices/${proxy.ids[0]}${WIREGUARD}`, 'GET', { headers: bearer(key) });
  const request = http.request(proxy.world.url + address, {
    method: 'POST',
    headers: {
      ...bearer(key),
      ...(headers ?? { 'content-length': String(body.length) }),
      'content-type': 'application/json',
      expect: '100-continue',
    },
  });
  const end = ended(request);
  request.flushHeaders();
  await once(request, 'continue'); // written in the turn in which the request was looked at
  request.write(body.slice(0, first));
  return { rest: () => void request.end(body.slice(first)), end };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function ended(request: http.ClientRequest): End {
  try {
    const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    const [, code] = /^\{.*"code":"(\w+)"/.exec(text) ?? [];
    return code ?? answer.statusCode!;
  } catch {
    return 'broken off';
  }
}

/** What a request that comes now gets. */
async function nextOf(person: Person): Promise<unknown> {
  const headers = bearer(person.key);
  const { status, json } = await rawRequest(proxy.world, agent, SINGLE().address, 'DELETE', { headers });
  return json['code'] ?? status;
}

const creations = () => proxy.fleet.ledger.entries({ effect: 'create' }).length;
const operator = () => addPerson(proxy.world, 'Otto', [{ role: 'operator' }]);

const lock = (body: object) => proxy.world.api.post('/v1/locks', { reason: 'a fire', ...body });

const CHANGES: [string, string, (person: Person) => Promise<unknown>][] = [
  ['the key is revoked', 'unauthenticated', ({ keyId }) => proxy.world.api.send('DELETE', `/v1/api-keys/${keyId}`)],
  [
    'the person is disabled',
    'unauthenticated',
    ({ operatorId }) => proxy.world.api.send('PATCH', `/v1/operators/${operatorId}`, { disabled: true }),
  ],
  ['the key is locked', 'locked', ({ keyId }) => lock({ kind: 'key', target: keyId })],
  ['the person is locked', 'locked', ({ operatorId }) => lock({ kind: 'operator', target: operatorId })],
  ['all writes are locked', 'locked', () => lock({ kind: 'writes' })],
  [
    'the person may only read',
    'forbidden',
    ({ operatorId }) =>
      proxy.world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles: [{ role: 'viewer' }] }),
  ],
  [
    'the person may nothing on this device',
    'device_not_found',
    ({ operatorId }) =>
      proxy.world.api.send('PUT', `/v1/operators/${operatorId}/roles`, {
        roles: [{ role: 'operator', selector: 'tag:gate' }],
      }),
  ],
];

describe.each([
  ['a write', SINGLE],
  ['a bulk request', BULK],
])('%s', (_what, write) => {
  it.each(CHANGES)('is refused when, before the rest of its body comes, %s', async (_when, code, change) => {
    const person = await operator();
    const before = creations();
    const { rest, end } = await begin(person, write());
    await change(person);
    await until(async () => (await nextOf(person)) === code);
    rest();
    expect(await end).toBe(code);
    expect(creations()).toBe(before);
  });

  it('goes out when nothing has changed meanwhile', async () => {
    const before = creations();
    const { rest, end } = await begin(await operator(), write());
    rest();
    expect(await end).toBeLessThan(300);
    expect(creations()).toBe(before + 1);
  });

  it('is refused when the device has left what its sender may change', async () => {
    const person = await addPerson(proxy.world, 'Tina', [{ role: 'operator', selector: 'tag:pump' }]);
    const before = creations();
    const { rest, end } = await begin(person, write());
    await proxy.world.api.send('PATCH', `/v1/devices/${proxy.ids[0]}`, { tags: ['gate'] });
    await until(async () => (await nextOf(person)) === 'device_not_found');
    rest();
    expect(await end).toBe('device_not_found');
    expect(creations()).toBe(before);
  });
});

it('opens no entry of a write that is refused when its body is there, and counts the refusal', async () => {
  const person = await operator();
  const entries = (await proxy.audit(0)).length;
  const { rest, end } = await begin(person, SINGLE());
  await proxy.world.api.send('DELETE', `/v1/api-keys/${person.keyId}`);
  rest();
  expect(await end).toBe('unauthenticated');
  expect(await proxy.audit(0)).toHaveLength(entries);
  await proxy.world.gateway.app.get(Refusals).sweep();
  const { items } = await proxy.world.api.get<{ items: object[] }>(`/v1/audit?action=request.refuse&limit=1000`);
  expect(items).toContainEqual(
    expect.objectContaining({
      actor: `key:${person.keyId}`,
      subject: 'POST /v1/devices/:ref/api/*',
      facts: expect.objectContaining({ code: 'unauthenticated', count: 1 }),
    }),
  );
});

it('a client of the device that was revoked is refused in the words of the device', async () => {
  const person = await operator();
  const before = creations();
  const { address, body } = SINGLE();
  const { rest, end } = await begin(person, { address: address.replace('/v1/devices/', '/d/'), body });
  await proxy.world.api.send('DELETE', `/v1/api-keys/${person.keyId}`);
  rest();
  expect(await end).toBe(401);
  expect(creations()).toBe(before);
});

describe('a fan-out', () => {
  it.each(CHANGES)('calls nobody when, before the rest of its body comes, %s', async (_when, code, change) => {
    const person = await operator();
    const before = creations();
    const { rest, end } = await begin(person, FAN_OUT());
    await change(person);
    await until(async () => (await nextOf(person)) === code);
    rest();
    // Whoever may nothing on this device may still ask, and is answered that it was skipped.
    expect([code === 'device_not_found' ? 200 : code, 'broken off']).toContain(await end);
    expect(creations()).toBe(before);
  });
});

describe('an upload that flows through', () => {
  /** Waits until the device is being sent something. */
  const underWay = () => until(async () => (await proxy.audit(0)).at(-1)?.outcome === null);

  it.each(CHANGES)('does not come to its end when, before its last part, %s', async (_when, code, change) => {
    const person = await operator();
    const before = creations();
    const { rest, end } = await begin(person, STREAMED());
    await underWay();
    await change(person);
    await until(async () => (await nextOf(person)) === code);
    rest();
    expect([code, 'broken off']).toContain(await end); // whatever finds it first
    await until(async () => (await proxy.audit(0)).at(-1)?.outcome === 'unknown');
    expect(creations()).toBe(before);
  });

  it('is broken off when its key is revoked and nothing more comes', async () => {
    const person = await operator();
    const before = creations();
    const { end } = await begin(person, STREAMED());
    await underWay();
    await proxy.world.api.send('DELETE', `/v1/api-keys/${person.keyId}`);
    expect(await end).toBe('broken off');
    expect(creations()).toBe(before);
  });

  it('goes out whole when nothing has changed', async () => {
    const before = creations();
    const { rest, end } = await begin(await operator(), STREAMED());
    await underWay();
    rest();
    expect(await end).toBeLessThan(300);
    expect(creations()).toBe(before + 1);
  });
});
