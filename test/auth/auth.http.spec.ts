import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { ApiClient } from '../../src/api-client/api-client.js';
import { TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

let world: TestGateway;
let db: pg.Pool;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const withKey = (key: string) => new TestApi({ url: world.url, key });

describe('set-up', () => {
  it('works once: the second time it is finished, whatever the token', async () => {
    const again = withKey('').post('/v1/setup', { token: 'setup-token-of-this-test-run', operatorName: 'Eve' });
    await expect(again).rejects.toMatchObject({ status: 409, code: 'setup_finished' });
  });

  it('left its facts in the audit', async () => {
    const { items } = await world.api.get<{ items: { action: string; actor: string }[] }>('/v1/audit?actor=setup');
    expect(new Set(items.map(({ action }) => action))).toEqual(
      new Set(['alert_rule.create', 'api_key.issue', 'operator.create', 'role.assign', 'watch.create']),
    );
  });
});

describe('a request', () => {
  it.each([
    ['no key', {}],
    ['an empty key', { authorization: 'Bearer ' }],
    ['a key that is none', { authorization: 'Bearer fg_nope' }],
    ['another scheme', { authorization: 'Basic YWRhOnB3' }],
    ['a key that was made up well', { authorization: 'Bearer fg_00000000_' + '0'.repeat(40) + '000000' }],
  ])('with %s is 401 with a challenge', async (_what, headers) => {
    const answer = await fetch(`${world.url}/v1/devices`, { headers: headers as Record<string, string> });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await answer.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('of a role without the permission is 403, names it, and changes nothing', async () => {
    const denied = world.as('viewer').post('/v1/devices', { name: 'x', baseUrl: 'https://192.0.2.1' });
    await expect(denied).rejects.toMatchObject({
      status: 403,
      code: 'forbidden',
      problem: { permission: 'device.manage' },
    });
    const { rows } = await db.query('select from device');
    expect(rows).toHaveLength(0);
  });

  it('comes from where its connection comes from, whatever it says itself', async () => {
    const reason = `proxied-${Date.now()}`;
    await fetch(`${world.url}/v1/operators`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.keys.administrator}`,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.7',
        'x-change-reason': reason,
      },
      body: JSON.stringify({ name: reason, role: 'viewer' }),
    });
    const { items } = await world.api.get<{ items: { reason: string; address: string }[] }>(
      '/v1/audit?action=operator.create',
    );
    expect(items.find((entry) => entry.reason === reason)?.address).toBe('127.0.0.1');
  });

  it('has its reason in any letters, as the typed client sends it', async () => {
    const client = new ApiClient({ url: world.url, key: world.keys.administrator });
    const reason = 'Ąžuolas, 東京';
    const body = { name: `any-letters-${Date.now()}`, role: 'viewer' };
    await client.post('/v1/operators', { body, headers: { 'x-change-reason': reason } });
    const { items } = await client.get('/v1/audit', { params: { query: { action: 'operator.create' } } });
    expect(items.map((entry) => entry.reason)).toContain(reason);
  });

  it('keeps a good request id and replaces an odd one', async () => {
    const send = (id: string) => fetch(`${world.url}/health/live`, { headers: { 'x-request-id': id } });
    expect((await send('my-request-0001')).headers.get('x-request-id')).toBe('my-request-0001');
    expect((await send('a b')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('an API key', () => {
  it('is shown once, is kept as a digest, and says who one is', async () => {
    const issued = await world.api.post<{ id: string; key: string }>('/v1/api-keys', { name: 'mine' });
    expect(await withKey(issued.key).get('/v1/self')).toMatchObject({
      name: 'Ada',
      roles: [{ role: 'administrator', selector: null }],
    });
    const { items } = await world.api.get<{ items: Record<string, unknown>[] }>('/v1/api-keys');
    const listed = items.find(({ id }) => id === issued.id);
    expect(listed).not.toHaveProperty('key');
    expect(listed).not.toHaveProperty('hash');
    const { rows } = await db.query<{ dump: string }>('select key::text as dump from api_key key');
    expect(JSON.stringify(rows)).not.toContain(issued.key.slice(12));
  });

  it('stops working when it is revoked, and twice is too often', async () => {
    const issued = await world.api.post<{ id: string; key: string }>('/v1/api-keys', { name: 'short' });
    await world.api.send('DELETE', `/v1/api-keys/${issued.id}`);
    await expect(withKey(issued.key).get('/v1/self')).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(world.api.send('DELETE', `/v1/api-keys/${issued.id}`)).rejects.toMatchObject({
      code: 'api_key_not_found',
    });
  });

  it('stops working at its end, and cannot be issued with one in the past', async () => {
    const past = world.api.post('/v1/api-keys', { name: 'past', expiresAt: '2020-01-01T00:00:00Z' });
    await expect(past).rejects.toMatchObject({ status: 400, code: 'invalid_input' });
    const issued = await world.api.post<{ id: string; key: string }>('/v1/api-keys', {
      name: 'soon',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await db.query(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [issued.id]);
    await expect(withKey(issued.key).get('/v1/self')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('of the last administrator cannot be revoked', async () => {
    const { items } = await world.api.get<{
      items: { id: string; operatorId: string; revokedAt: unknown; expiresAt: unknown }[];
    }>('/v1/api-keys');
    const self = await world.api.get<{ subject: string }>('/v1/self');
    const mine = self.subject.slice('key:'.length);
    const operatorId = items.find(({ id }) => id === mine)?.operatorId;
    const others = items.filter(
      (key) => key.operatorId === operatorId && key.id !== mine && !key.revokedAt && !key.expiresAt,
    );
    for (const { id } of others) await world.api.send('DELETE', `/v1/api-keys/${id}`);
    await expect(world.api.send('DELETE', `/v1/api-keys/${mine}`)).rejects.toMatchObject({
      code: 'last_administrator',
    });
    expect(await world.api.get('/v1/self')).toMatchObject({ name: 'Ada' });
  });

  it('that was stolen is ended also where nobody counts as an administrator any more', async () => {
    const { id: operatorId } = await world.api.post<{ id: string }>('/v1/operators', { name: 'Tom', role: 'viewer' });
    const issue = (name: string, more: object) =>
      world.api.post<{ id: string; key: string }>('/v1/api-keys', { name, ...more });
    const narrowed = withKey((await issue('narrowed', { scope: { permissions: ['*'], stepUp: true } })).key);
    const [stolen, other] = [await issue('stolen', { operatorId }), await issue('other', { operatorId })];
    const whole = `revoked_at is null and expires_at is null and coalesce(scope, '{}') - 'stepUp' = '{}'`;
    await db.query(
      `update api_key set expires_at = '2001-01-01' where ${whole} and operator_id in
         (select operator_id from operator_role where role = 'administrator')`,
    );
    try {
      await narrowed.post('/v1/locks', { kind: 'key', target: other.id, reason: 'stolen' });
      await narrowed.send('DELETE', `/v1/api-keys/${stolen.id}`);
      await narrowed.send('PATCH', `/v1/operators/${operatorId}`, { disabled: true });
    } finally {
      await db.query(`update api_key set expires_at = null where expires_at = '2001-01-01'`);
    }
    await expect(withKey(stolen.key).get('/v1/self')).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('remembers its last use', async () => {
    const issued = await world.api.post<{ id: string; key: string }>('/v1/api-keys', { name: 'used' });
    await withKey(issued.key).get('/v1/self');
    const lastUse = async () =>
      (await db.query<{ last: Date | null }>('select last_used_at as last from api_key where id = $1', [issued.id]))
        .rows[0]?.last;
    await until(lastUse);
    expect(await lastUse()).toBeInstanceOf(Date);
  });
});

describe('an operator', () => {
  it('has a name of its own', async () => {
    await world.api.post('/v1/operators', { name: 'Grace', role: 'operator' });
    const again = world.api.post('/v1/operators', { name: 'GRACE', role: 'viewer' });
    await expect(again).rejects.toMatchObject({ status: 409, code: 'operator_exists' });
  });
});

describe('a stranger', () => {
  it('cannot make the gateway read a body', async () => {
    const endless = new ReadableStream({ pull: (sink) => sink.enqueue(new Uint8Array(65_536)) });
    const answer = await fetch(`${world.url}/v1/devices/import`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: endless,
      duplex: 'half',
    });
    expect(answer.status).toBe(401);
  });

  it.each(['text/csv', 'application/x-ndjson', 'application/x-www-form-urlencoded'])(
    'gets a plain refusal for a set-up in %s',
    async (type) => {
      const answer = await fetch(`${world.url}/v1/setup`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'x',
      });
      expect(answer.status).toBe(415);
    },
  );

  it('cannot take the database away from others with made-up tokens', async () => {
    const flood = Array.from({ length: 60 }, () =>
      fetch(`${world.url}/v1/setup`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: 'x'.repeat(30), operatorName: 'Eve' }),
      }),
    );
    const [health, ...answers] = await Promise.all([world.api.get('/v1/self'), ...flood]);
    expect(health).toMatchObject({ name: 'Ada' });
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([409]));
  });
});
