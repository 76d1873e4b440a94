import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { TestApi } from '../support/test-api.js';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* API keys: whose they are, what narrows them, how they are replaced and end. */

interface IssuedKey {
  readonly id: string;
  readonly key: string;
  readonly operatorId: string;
  readonly expiresAt: string | null;
  readonly replacesId: string | null;
}

let world: TestGateway;
let db: pg.Pool;
/** A key of the operator that may issue others. */
let operator: TestApi;

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const withKey = (key: string, url = world.url) => new TestApi({ url, key });

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', TRUSTED_PROXIES: '127.0.0.1/32' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
  const { items } = await world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators');
  const operatorId = items.find(({ name }) => name === 'the operator')!.id;
  const { key } = await world.api.post<IssuedKey>('/v1/api-keys', {
    operatorId,
    name: 'issuer',
    scope: { stepUp: true },
  });
  operator = withKey(key);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

describe('one’s own keys', () => {
  it('are issued, listed and ended by everybody, and those of others are out of reach', async () => {
    const mine = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'mine' });
    expect(await withKey(mine.key).get('/v1/self')).toMatchObject({ name: 'the operator' });
    const { items } = await operator.get<{ items: IssuedKey[] }>('/v1/self/api-keys');
    expect(new Set(items.map(({ operatorId }) => operatorId))).toEqual(new Set([mine.operatorId]));
    expect(items[0]).not.toHaveProperty('key');

    const foreign = await world.api.post<IssuedKey>('/v1/self/api-keys', { name: 'of Ada' });
    for (const [method, address] of [
      ['DELETE', `/v1/self/api-keys/${foreign.id}`],
      ['POST', `/v1/self/api-keys/${foreign.id}/rotate`],
    ] as const) {
      const attempt = operator.send(method, address, method === 'POST' ? {} : undefined);
      await expect(attempt).rejects.toMatchObject({ status: 404, code: 'api_key_not_found' });
    }
    await expect(operator.get('/v1/api-keys')).rejects.toMatchObject({ code: 'forbidden' });

    await operator.send('DELETE', `/v1/self/api-keys/${mine.id}`);
    await expect(withKey(mine.key).get('/v1/self')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('are not made or ended with a narrow key, unless its scope says so', async () => {
    const { operatorId, id: other } = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'other' });
    const narrow = async (permissions: string[]) =>
      withKey(
        (await world.api.post<IssuedKey>('/v1/api-keys', { operatorId, name: 'narrow', scope: { permissions } })).key,
      );
    const reads = await narrow(['device.read']);
    const refused = { status: 403, code: 'forbidden' };
    await expect(reads.send('DELETE', `/v1/self/api-keys/${other}`)).rejects.toMatchObject(refused);
    await expect(reads.post(`/v1/self/api-keys/${other}/rotate`, {})).rejects.toMatchObject(refused);
    expect(await reads.get('/v1/self')).toMatchObject({ name: 'the operator' });
    const changes = await narrow(['device.read', 'self.change']);
    await changes.send('DELETE', `/v1/self/api-keys/${other}`);
  });

  it('are not issued with a key that may not step up', async () => {
    const plain = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'plain' });
    const attempt = withKey(plain.key).post('/v1/self/api-keys', { name: 'child' });
    await expect(attempt).rejects.toMatchObject({ status: 403, code: 'step_up_required' });
  });
});

describe('a narrowed key', () => {
  it('does what its scope and its operator both allow', async () => {
    const scope = { permissions: ['device.read', 'self.*'], selector: 'tag:pump' };
    const { key } = await operator.post<IssuedKey & { scope: unknown }>('/v1/self/api-keys', { name: 'narrow', scope });
    const self = await withKey(key).get<{ permissions: string[] }>('/v1/self');
    expect(self.permissions).toContain('device.read');
    expect(self.permissions).not.toContain('device.call_write');
    await expect(withKey(key).get('/v1/jobs')).rejects.toMatchObject({ code: 'forbidden' });
    const { items } = await operator.get<{ items: { name: string; scope: unknown }[] }>('/v1/self/api-keys');
    expect(items.find(({ name }) => name === 'narrow')?.scope).toEqual(scope);
  });

  it('issues none that may more than itself', async () => {
    const scope = { permissions: ['self.*'], stepUp: true };
    const { key } = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'narrow issuer', scope });
    const wide = withKey(key).post('/v1/self/api-keys', { name: 'wide' });
    await expect(wide).rejects.toMatchObject({ status: 403, code: 'rights_not_held' });
    const child = await withKey(key).post<IssuedKey>('/v1/self/api-keys', { name: 'child', scope });
    expect(await withKey(child.key).get('/v1/self')).toMatchObject({ name: 'the operator' });
  });

  it.each([
    ['later', () => ({ expiresAt: inMs(7_200_000), allowedAddresses: ['127.0.0.0/8'] })],
    ['never to end', () => ({ allowedAddresses: ['127.0.0.0/8'] })],
    ['from anywhere', () => ({ expiresAt: inMs(60_000) })],
    ['from elsewhere too', () => ({ expiresAt: inMs(60_000), allowedAddresses: ['0.0.0.0/0'] })],
  ])('that ends, or that has networks, issues none that is good %s', async (_what, more) => {
    const limits = {
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      allowedAddresses: ['127.0.0.0/8', '::1/128'],
    };
    const wish = { name: 'limited', scope: { stepUp: true }, ...limits };
    const limited = withKey((await operator.post<IssuedKey>('/v1/self/api-keys', wish)).key);
    const beyond = limited.post('/v1/self/api-keys', { name: 'beyond', ...more() });
    await expect(beyond).rejects.toMatchObject({ status: 403, code: 'key_beyond_own' });
    const within = { expiresAt: new Date(Date.now() + 60_000).toISOString(), allowedAddresses: ['127.0.0.1/32'] };
    const child = await limited.post<IssuedKey>('/v1/self/api-keys', { name: 'within', ...within });
    expect(await withKey(child.key).get('/v1/self')).toMatchObject({ name: 'the operator' });
  });

  it('that ends does not get the place of one that does not', async () => {
    const lasting = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'lasting' });
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const wish = { name: 'ending', scope: { stepUp: true }, expiresAt };
    const ending = await operator.post<IssuedKey>('/v1/self/api-keys', wish);
    const rotate = (id: string) => withKey(ending.key).post<IssuedKey>(`/v1/self/api-keys/${id}/rotate`, {});
    await expect(rotate(lasting.id)).rejects.toMatchObject({ code: 'key_beyond_own' });
    expect((await rotate(ending.id)).expiresAt).toBe(expiresAt);
  });

  it.each([
    ['an unknown form of permission', { permissions: ['everything!'] }, 'invalid_input'],
    ['a selector that cannot be read', { selector: 'tag:(' }, 'invalid_selector'],
    ['a path that is none', { devices: { api: { 'https://x': ['read'] } } }, 'invalid_input'],
  ])('is refused with %s', async (_what, scope, code) => {
    await expect(operator.post('/v1/self/api-keys', { name: 'odd', scope })).rejects.toMatchObject({ code });
  });
});

describe('a key with networks', () => {
  it('works from them alone; elsewhere it is told so, and the audit once', async () => {
    const here = await operator.post<IssuedKey>('/v1/self/api-keys', {
      name: 'here',
      allowedAddresses: ['10.0.0.0/8', '127.0.0.0/8', '::1/128'],
    });
    expect(await withKey(here.key).get('/v1/self')).toMatchObject({ name: 'the operator' });
    const there = await operator.post<IssuedKey>('/v1/self/api-keys', {
      name: 'there',
      allowedAddresses: ['10.0.0.0/8'],
    });
    for (let i = 0; i < 3; i++) {
      await expect(withKey(there.key).get('/v1/self')).rejects.toMatchObject({ status: 403, code: 'address_refused' });
    }
    const told = async () =>
      (await world.api.get<{ items: { subject: string }[] }>('/v1/audit?action=api_key.address_refuse')).items.filter(
        ({ subject }) => subject === `api_key:${there.id}`,
      );
    await until(async () => (await told()).length !== 0);
    expect(await told()).toHaveLength(1);
  });

  it('works through a proxy that writes ports, and not for a caller without a readable address', async () => {
    const { id, key } = await operator.post<IssuedKey>('/v1/self/api-keys', {
      name: 'behind a proxy',
      allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'],
    });
    const from = async (forwarded: string) => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forwarded };
      return (await fetch(`${world.url}/v1/self`, { headers })).status;
    };
    const refused = ['198.51.100.1:1', '203.0.113.7, unknown', '203.0.113.7, _hidden', '203.0.113.7,', '2001:db9::1'];
    for (const forwarded of refused) expect([forwarded, await from(forwarded)]).toEqual([forwarded, 403]);
    for (const forwarded of ['203.0.113.7:51234', '::ffff:203.0.113.7', '"[2001:db8::1]:80"'])
      expect([forwarded, await from(forwarded)]).toEqual([forwarded, 200]);
    const lastUse = async () =>
      (
        await db.query<{ address: string | null }>('select last_used_address as address from api_key where id = $1', [
          id,
        ])
      ).rows[0]!.address;
    await until(async () => (await lastUse()) !== null);
    expect(['203.0.113.7', '2001:db8::1']).toContain(await lastUse());
  });

  it('is refused with what is no network', async () => {
    const odd = operator.post('/v1/self/api-keys', { name: 'odd', allowedAddresses: ['10.0.0.0/99'] });
    await expect(odd).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('a rotation', () => {
  it('gives a key in the place of another, which goes on until the overlap ends', async () => {
    const old = await operator.post<IssuedKey>('/v1/self/api-keys', {
      name: 'rotating',
      allowedAddresses: ['127.0.0.0/8'],
    });
    const before = Date.now();
    const next = await operator.post<IssuedKey>(`/v1/self/api-keys/${old.id}/rotate`, { overlapHours: 2 });
    expect(next).toMatchObject({ name: 'rotating', replacesId: old.id, allowedAddresses: ['127.0.0.0/8'] });
    for (const { key } of [old, next])
      expect(await withKey(key).get('/v1/self')).toMatchObject({ name: 'the operator' });
    const { items } = await operator.get<{ items: IssuedKey[] }>('/v1/self/api-keys');
    const endsAt = Date.parse(items.find(({ id }) => id === old.id)!.expiresAt!);
    expect(endsAt).toBeGreaterThanOrEqual(before + 2 * 3_600_000);
    expect(endsAt).toBeLessThanOrEqual(Date.now() + 2 * 3_600_000);

    const last = await world.api.post<IssuedKey>(`/v1/api-keys/${next.id}/rotate`, { overlapHours: 0 });
    await expect(withKey(next.key).get('/v1/self')).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await withKey(last.key).get('/v1/self')).toMatchObject({ name: 'the operator' });
    await expect(operator.post(`/v1/self/api-keys/${next.id}/rotate`, {})).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  });

  it('does not make an end later', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const old = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'ending', expiresAt });
    const next = await operator.post<IssuedKey>(`/v1/self/api-keys/${old.id}/rotate`, {});
    expect(next.expiresAt).toBe(expiresAt);
    const { items } = await operator.get<{ items: IssuedKey[] }>('/v1/self/api-keys');
    expect(items.find(({ id }) => id === old.id)!.expiresAt).toBe(expiresAt);
  });
});

describe('a key that was revoked', () => {
  it('is told at once to the other replicas, which remember good ones', async () => {
    const config = readConfig({
      DATABASE_URL: world.databaseUrl,
      DATA_DIR: world.dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STATUS_EVERY_SECONDS: '0',
      ...(process.env['TEST_REDIS_URL'] ? { REDIS_URL: process.env['TEST_REDIS_URL'] } : {}),
    });
    const replica = await startGateway({ config });
    const { id, key } = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'everywhere' });
    expect(await withKey(key, replica.url).get('/v1/self')).toHaveProperty('name');
    await operator.send('DELETE', `/v1/self/api-keys/${id}`);
    const tries = async (): Promise<string> =>
      withKey(key, replica.url)
        .get('/v1/self')
        .then(
          () => 'good',
          (error: { code: string }) => error.code,
        );
    await until(async () => (await tries()) !== 'good');
    expect(await tries()).toBe('unauthenticated');
    await replica.close();
  });
});

describe('the last use of a key', () => {
  it('is remembered with its address', async () => {
    const { id, key } = await operator.post<IssuedKey>('/v1/self/api-keys', { name: 'used' });
    await withKey(key).get('/v1/self');
    const used = async () =>
      (
        await db.query<{ address: string | null }>('select last_used_address as address from api_key where id = $1', [
          id,
        ])
      ).rows[0]?.address;
    await until(used);
    expect(await used()).toBe('127.0.0.1');
  });
});
