import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { TestApi } from '../support/test-api.js';

/* How many calls a key and a person may make, and how that is told. */

let world: TestGateway;
let fleet: Fleet;
const clock = new FakeClock(Date.now());
/** Limits in Redis go by its clock. */
const OWN_TIME = { REDIS_URL: '' };

beforeAll(async () => {
  fleet = await startFleet({ devices: 4, profile: 'rutos', timeScale: 50 });
  world = await startTestGateway(
    { ROLE: 'api', ...OWN_TIME, RATE_LIMIT_KEY: '1000', RATE_LIMIT_OPERATOR: '20' },
    clock,
  );
  for (const [index, { baseUrl, username, password }] of fleet.devices.entries()) {
    await world.api.post('/v1/devices', { name: `d${index}`, baseUrl, credentials: { username, password } });
  }
});
// What earlier tests used up is full again.
beforeEach(() => clock.pass(60_000));
afterAll(async () => {
  await world.close();
  await fleet.close();
});

/** A key of its own limit, and what is asked with it. */
async function caller(callsPerMinute: number) {
  const { key } = await world.api.post<{ key: string }>('/v1/api-keys', { name: 'limited', callsPerMinute });
  return async (address: string, json?: unknown) => {
    const answer = await fetch(world.url + address, {
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      limit: answer.headers.get('ratelimit'),
      policy: answer.headers.get('ratelimit-policy'),
      retryAfter: answer.headers.get('retry-after'),
      text,
    };
  };
}

const STATUS = '/v1/devices/name:d0/api/system/device/status';

describe('a limit', () => {
  it('is told with each answer: what there is, what is left, when it is full again', async () => {
    const ask = await caller(60);
    const first = await ask('/v1/self');
    expect(first.policy).toBe('"key";q=60;w=60, "operator";q=20;w=60');
    expect(first.limit).toMatch(/^"key";r=59;t=1, "operator";r=\d+;t=\d+$/);
    expect((await ask(STATUS)).limit).toMatch(/^"key";r=58;t=2, /);
    clock.pass(1_000);
    expect((await ask('/v1/self')).limit).toMatch(/^"key";r=58;t=2, /);
  });

  it('refuses beyond it, on all entry points, and says how long to wait', async () => {
    const ask = await caller(3);
    for (let i = 0; i < 3; i++) expect((await ask('/v1/self')).status).toBe(200);
    const refused = await ask('/v1/self');
    expect(refused).toMatchObject({ status: 429, retryAfter: '20', limit: expect.stringMatching(/^"key";r=0;t=60, /) });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'rate_limited', limit: 'key', cost: 1 });
    const before = fleet.ledger.entries().length;
    expect(await ask(STATUS)).toMatchObject({ status: 429, retryAfter: '20' });
    expect(fleet.ledger.entries()).toHaveLength(before);
    clock.pass(20_000);
    expect((await ask(STATUS)).status).toBe(200);
    expect((await ask('/v1/self')).status).toBe(429);
  });

  it('of one key is not that of another', async () => {
    const [one, other] = [await caller(1), await caller(1)];
    expect((await one('/v1/self')).status).toBe(200);
    expect((await one('/v1/self')).status).toBe(429);
    expect((await other('/v1/self')).status).toBe(200);
  });

  it('is spent by a fan-out with one for each device; what touches none costs one', async () => {
    const fanOut = (selector: string, dryRun = false) => ({
      selector,
      dryRun,
      request: { method: 'GET', path: '/api/system/device/status' },
    });
    const ask = await caller(5);
    expect((await ask('/v1/fan-out', fanOut('all', true))).limit).toMatch(/^"key";r=4;/);
    expect((await ask('/v1/fan-out', fanOut('all'))).status).toBe(200); // 4 devices
    expect(JSON.parse((await ask('/v1/self')).text)).toMatchObject({ code: 'rate_limited' });
    clock.pass(24_000); // 2 tokens
    const refused = await ask('/v1/fan-out', fanOut('all'));
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'rate_limited', cost: 3 });
  });

  it('lets a fan-out through that is larger than all of it, and has it paid off', async () => {
    const ask = await caller(2);
    const body = { selector: 'all', request: { method: 'GET', path: '/api/system/device/status' } };
    expect((await ask('/v1/fan-out', body)).status).toBe(200);
    expect(await ask('/v1/self')).toMatchObject({ status: 429, retryAfter: '90' }); // 2 in debt, at 2 a minute
    clock.pass(90_000);
    expect((await ask('/v1/self')).status).toBe(200);
  });

  it('of a person counts all their keys together', async () => {
    const viewer = world.as('viewer');
    const { id } = (await world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators')).items.find(
      ({ name }) => name === 'the viewer',
    )!;
    const wish = { operatorId: id, name: 'other' };
    const other = new TestApi({
      url: world.url,
      key: (await world.api.post<{ key: string }>('/v1/api-keys', wish)).key,
    });
    for (let i = 0; i < 10; i++) {
      for (const key of [viewer, other]) expect((await key.send('GET', '/v1/self')).status).toBe(200);
    }
    for (const key of [viewer, other]) {
      await expect(key.get('/v1/self')).rejects.toMatchObject({
        status: 429,
        problem: { code: 'rate_limited', limit: 'operator' },
      });
    }
    expect((await world.as('operator').send('GET', '/v1/self')).status).toBe(200);
  });
});

(process.env['TEST_REDIS_URL'] ? describe : describe.skip)('replicas that share a Redis', () => {
  it('share the limit of a key', async () => {
    const one = await startTestGateway({ ROLE: 'api' });
    const config = readConfig({
      DATABASE_URL: one.databaseUrl,
      DATA_DIR: one.dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STATUS_EVERY_SECONDS: '0',
      REDIS_URL: process.env['TEST_REDIS_URL'],
      REDIS_PREFIX: new URL(one.databaseUrl).pathname.slice(1),
    });
    const other = await startGateway({ config });
    const { key } = await one.api.post<{ key: string }>('/v1/api-keys', { name: 'shared', callsPerMinute: 6 });
    const ask = async (url: string) =>
      (await fetch(`${url}/v1/self`, { headers: { authorization: `Bearer ${key}` } })).status;
    const began = performance.now();
    const statuses = [];
    for (let i = 0; i < 10; i++) statuses.push(await ask(i % 2 ? one.url : other.url));
    // Each replica may hold a lease of one call; in ten seconds one more comes in.
    const more = Math.ceil((performance.now() - began) / 10_000);
    const good = statuses.filter((status) => status === 200).length;
    expect(good).toBeGreaterThanOrEqual(5);
    expect(good).toBeLessThanOrEqual(6 + more);
    await other.close();
    await one.close();
  });
});
