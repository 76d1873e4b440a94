import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { type ApiError } from '../../src/api-client/api-error.js';
import { type TestApi } from '../support/test-api.js';
import { Locks } from '../../src/auth/access/locks.service.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startProxyWorld, type ProxyWorld } from '../proxy/proxy-world.js';
import { casesOf, itInFull } from '../support/forms.js';
import { nullWhenBusy } from '../support/gateway.js';
import { until } from '../support/until.js';
import { addKey, addPerson, type Person } from '../support/people.js';

/* Locks through HTTP, on two replicas that share a database. */

let world: ProxyWorld;
let replica: Gateway;
let person: Person;

const WIREGUARD = '/api/wireguard/config';

beforeAll(async () => {
  world = await startProxyWorld({ devices: 2, profile: 'rutos', timeScale: 200 }, { ROLE: 'all' });
  const { databaseUrl, dataDir } = world.world;
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent', ROLE: 'api' };
  replica = await startGateway({
    config: readConfig({ ...env, DEVICE_ALLOW_LOOPBACK: 'true', STATUS_EVERY_SECONDS: '0' }),
  });
  person = await addPerson(world.world, 'Peter', [{ role: 'operator' }]);
});
afterAll(async () => {
  await replica.close();
  await world.close();
});

interface Lock {
  readonly id: string;
}

const lock = (body: object) => world.world.api.post<Lock>('/v1/locks', { reason: 'a fire', ...body });
const liftAll = async () => {
  const { items } = await world.world.api.get<{ items: Lock[] }>('/v1/locks');
  for (const one of items) await lift(one);
};
/** What a test that failed would leave to the next one. */
const cleanUp = async () => {
  world.fleet.devices[0]!.faults.clear();
  await liftAll();
};
const lift = ({ id }: Lock) => world.world.api.send('DELETE', `/v1/locks/${id}`);

/** The code of a request, or its status when nothing is wrong. */
const codeOf = (request: Promise<{ status: number }>) =>
  request.then(
    ({ status }) => status,
    (error: ApiError) => error.code,
  );

/** A request of the person, whose answer does not end by itself. */
function ask(method: string, path: string, json?: object) {
  const answer = fetch(world.world.url + path, {
    method,
    headers: { authorization: `Bearer ${person.key}`, 'content-type': 'application/json' },
    ...(json ? { body: JSON.stringify(json) } : {}),
  });
  const ended = answer
    .then((got) => got.text())
    .then(
      (text) => `complete: ${text}`,
      () => 'broken off',
    );
  return { opened: answer.then(() => undefined), ended };
}

/** Asks the other replica. */
async function atReplica(key: string, path: string, method = 'GET'): Promise<unknown> {
  const answer = await fetch(replica.url + path, { method, headers: { authorization: `Bearer ${key}` } });
  const body = (await answer.json().catch(() => ({}))) as { code?: string };
  return body.code ?? answer.status;
}

const refused = async (request: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> =>
  request.then(
    () => ({}),
    (error: ApiError) => error.problem,
  );

describe('a lock on a person', () => {
  afterEach(cleanUp);

  it('shuts them out on every replica, says why and until when, and ends when it is lifted', async () => {
    const endsAt = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    const made = await lock({ kind: 'operator', target: person.operatorId, endsAt });
    expect(await refused(person.api.get('/v1/self'))).toMatchObject({
      status: 423, code: 'locked', locked: 'operator', reason: 'a fire', since: expect.any(String), until: endsAt, by: 'Ada',
    }); // prettier-ignore
    await until(async () => (await atReplica(person.key, '/v1/self')) === 'locked');
    expect(await atReplica(person.key, `/v1/devices/${world.ids[0]}${WIREGUARD}`)).toBe('locked');
    await lift(made);
    expect(await codeOf(person.api.send('GET', '/v1/self'))).toBe(200);
    await until(async () => (await atReplica(person.key, '/v1/self')) === 200);
    expect(await codeOf(world.world.api.send('DELETE', `/v1/locks/${made.id}`))).toBe('lock_not_found');
  });

  it.each([
    ['a call', () => ask('GET', `/v1/devices/${world.ids[0]}${WIREGUARD}`)],
    ['a fan-out', () => ask('POST', '/v1/fan-out', { selector: 'all', request: { method: 'GET', path: WIREGUARD } })],
    ['a stream of audit entries', () => ask('GET', '/v1/audit/stream')],
  ])('ends the answers that they are getting: %s', async (_what, start) => {
    world.fleet.devices[0]!.faults.add({ kind: 'hang', path: WIREGUARD });
    const before = world.fleet.ledger.entries({ path: WIREGUARD }).length;
    const { opened, ended } = start();
    await Promise.race([
      opened,
      until(() => world.fleet.ledger.entries({ path: WIREGUARD }).length > before), // a device that hangs opens nothing
    ]);
    await lock({ kind: 'operator', target: person.operatorId });
    expect(await ended).toBe('broken off');
  });

  it('ends by itself at its end', async () => {
    const endsAt = new Date(world.clock.now().getTime() + 60_000).toISOString();
    await lock({ kind: 'operator', target: person.operatorId, endsAt });
    expect(await codeOf(person.api.send('GET', '/v1/self'))).toBe('locked');
    world.clock.pass(61_000);
    expect(await codeOf(person.api.send('GET', '/v1/self'))).toBe(200);
  });

  it('cannot lock the last administrator out, by name or by key', async () => {
    const { items } = await world.world.api.get<{ items: { id: string; name: string }[] }>('/v1/operators');
    const ada = items.find(({ name }) => name === 'Ada')!;
    const keys = await world.world.api.get<{ items: { id: string; operatorId: string }[] }>('/v1/api-keys');
    const key = keys.items.find(({ operatorId }) => operatorId === ada.id)!;
    for (const target of [
      { kind: 'operator', target: ada.id },
      { kind: 'key', target: key.id },
    ]) {
      expect(await refused(lock(target))).toMatchObject({ code: 'last_administrator' });
    }
    const second = await addPerson(world.world, 'Bea', [{ role: 'administrator' }]);
    try {
      await lock({ kind: 'operator', target: second.operatorId });
      expect(await refused(lock({ kind: 'operator', target: ada.id }))).toMatchObject({ code: 'last_administrator' });
    } finally {
      // Ada is the last one again.
      await world.world.api.send('PUT', `/v1/operators/${second.operatorId}/roles`, { roles: [] });
    }
  });
});

describe('a lock on a key', () => {
  it('shuts out that key alone', async () => {
    const other = await addKey(world.world, person.operatorId, {});
    const made = await lock({ kind: 'key', target: other.keyId });
    expect(await codeOf(other.api.send('GET', '/v1/self'))).toBe('locked');
    expect(await codeOf(person.api.send('GET', '/v1/self'))).toBe(200);
    await lift(made);
  });
});

describe.each([
  ['a device', () => ({ kind: 'device', target: world.ids[0] })],
  ['a selector', () => ({ kind: 'selector', target: `id:${world.ids[0]}` })],
])('a lock on %s', (_name, target) => {
  let made: Lock;
  beforeAll(async () => {
    made = await lock(target());
  });
  afterAll(() => lift(made));

  it('lets no call and no change through, and leaves other devices and the reading of the registry alone', async () => {
    const { api } = world.world;
    const [locked, free] = world.ids as [string, string];
    expect(await codeOf(api.send('GET', `/v1/devices/${locked}${WIREGUARD}`))).toBe('locked');
    expect(await codeOf(api.send('PATCH', `/v1/devices/${locked}`, { tags: ['x'] }))).toBe('locked');
    expect(await codeOf(api.send('POST', `/v1/devices/${locked}/jobs`, { kind: 'backup' }))).toBe('locked');
    expect(await codeOf(api.send('GET', `/v1/devices/${locked}`))).toBe(200);
    expect(await codeOf(api.send('GET', `/v1/devices/${free}${WIREGUARD}`))).toBe(200);
    await until(async () => (await atReplica(person.key, `/v1/devices/${locked}${WIREGUARD}`)) === 'locked');
  });

  it('skips it by name in a fan-out', async () => {
    const call = { selector: 'all', request: { method: 'GET', path: WIREGUARD } };
    const { body } = await world.world.api.send<string>('POST', '/v1/fan-out', call);
    const lines = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (id: string) => lines.find(({ deviceId }) => deviceId === id);
    expect(of(world.ids[0]!)).toMatchObject({ outcome: 'skipped', reason: 'locked' });
    expect(of(world.ids[1]!)).toMatchObject({ outcome: 'succeeded' });
  });

  it.each(['device.call_read', 'device.call_write', 'job.start', 'device.manage'])(
    'is named by a preview of what needs %s',
    async (permission) => {
      const preview = await world.world.api.post('/v1/devices/preview', { selector: 'all', permission });
      expect(preview).toMatchObject({ matched: 2, count: 1, excluded: [{ reason: 'locked', count: 1 }] });
    },
  );
});

describe('a lock on a selector with the digest of a preview', () => {
  afterEach(liftAll);

  it('is set where the selector still names those devices, and is not where it names others', async () => {
    const target = `id:${world.ids[0]}`;
    const { digest } = await world.world.api.post<{ digest: string }>('/v1/devices/preview', { selector: target });
    const locks = async () => (await world.world.api.get<{ items: Lock[] }>('/v1/locks')).items.length;
    const others = lock({ kind: 'selector', target: 'all', expectedDigest: digest });
    expect(await codeOf(others as unknown as Promise<{ status: number }>)).toBe('selection_changed');
    expect(await locks()).toBe(0);
    await lock({ kind: 'selector', target, expectedDigest: digest });
    expect(await locks()).toBe(1);
  });
});

describe('a selector that can match nothing', () => {
  it.each(['state:onlin', 'tag:pump & !trust:insecur', 'profile:rutso'])(
    'is no lock and no right: %s',
    async (selector) => {
      const { api } = world.world;
      expect(await codeOf(lock({ kind: 'selector', target: selector }) as unknown as Promise<{ status: number }>)).toBe(
        'invalid_selector',
      );
      const role = { rules: [{ effect: 'deny', permissions: ['device.*'], selector }] };
      await expect(api.send('PUT', '/v1/roles/narrow', role)).rejects.toMatchObject({ code: 'invalid_selector' });
    },
  );
});

describe('a lock on all writes', () => {
  afterEach(liftAll);

  it('lets keys and sessions be ended, which takes access away', async () => {
    const { api } = world.world;
    const one = await addPerson(world.world, 'Kim', [{ role: 'viewer' }]);
    const { items } = await api.get<{ items: { id: string; operatorId: string }[] }>('/v1/api-keys');
    const key = items.find(({ operatorId }) => operatorId === one.operatorId)!;
    const made = await lock({ kind: 'writes' });
    await api.send('DELETE', `/v1/api-keys/${key.id}`);
    await expect(one.api.get('/v1/self')).rejects.toMatchObject({ status: 401 });
    await expect(api.send('DELETE', `/v1/sessions/${randomUUID()}`)).rejects.toMatchObject({
      code: 'session_not_found',
    });
    await lift(made);
  });

  it('is in force when its answer comes, whatever other looks at the locks are under way', async () => {
    const { app } = world.world.gateway;
    const db = app.get(DataSource);
    const query = db.query.bind(db);
    let release = () => undefined as void;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isLater = false;
    let later = 0;
    // Behind each look another one begins, and does not end.
    vi.spyOn(db, 'query').mockImplementation(async (sql, values) => {
      if (!/from lock\s+where lifted_at is null/.test(sql)) return query(sql, values);
      if (isLater) {
        later++;
        await released;
      } else {
        isLater = true;
        void app.get(Locks).sweep();
        isLater = false;
      }
      return query(sql, values);
    });
    try {
      await lock({ kind: 'writes' });
      expect(later).toBeGreaterThan(0);
      expect(() => app.get(Locks).refuseWrites()).toThrow(expect.objectContaining({ code: 'locked' }));
    } finally {
      release();
      vi.restoreAllMocks();
    }
  });

  it('is in force within the next second, whether its notice comes or not', async () => {
    const locks = world.world.gateway.app.get(Locks);
    const owner = new pg.Client({ connectionString: world.world.databaseUrl });
    await owner.connect();
    await owner.query('alter table lock disable trigger user');
    try {
      await owner.query(
        `insert into lock (id, kind, reason, created_at, created_by, created_by_name)
         values (gen_random_uuid(), 'writes', 'another replica', now(), 'system:test', 'Test')`,
      );
      await locks.sweep();
      expect(() => locks.refuseWrites()).toThrow(expect.objectContaining({ code: 'locked' }));
      await owner.query(`update lock set ends_at = now() where reason = 'another replica'`);
      await locks.sweep();
      expect(() => locks.refuseWrites()).not.toThrow();
    } finally {
      await owner.query(`delete from lock where reason = 'another replica'`);
      await owner.query('alter table lock enable trigger user');
      await owner.end();
    }
  });

  it('is looked for again at once when the newest look has failed', async () => {
    const { app } = world.world.gateway;
    const locks = app.get(Locks);
    const db = app.get(DataSource);
    const query = db.query.bind(db);
    let looks = 0;
    let later: Promise<unknown> | null = null;
    vi.spyOn(db, 'query').mockImplementation(async (sql, values) => {
      if (!/from lock\s+where lifted_at is null/.test(sql)) return query(sql, values);
      if (++looks === 2) throw new Error('the database is away');
      // Begins behind the first, and fails before it ends.
      if (looks === 1) (later = locks.sweep()).catch(() => undefined);
      return query(sql, values);
    });
    try {
      world.clock.pass(60_000);
      await locks.sweep();
      await expect(later).rejects.toThrow('the database is away');
      await locks.sweep();
      expect(looks).toBeGreaterThan(2); // no time has passed
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('is set once it is committed, though it cannot be looked for: the next look finds it', async () => {
    const { app } = world.world.gateway;
    const db = app.get(DataSource);
    const query = db.query.bind(db);
    let isAway = true;
    vi.spyOn(db, 'query').mockImplementation(async (sql, values) => {
      if (isAway && /from lock where lifted_at is null .* order by/.test(sql)) throw new Error('the database is away');
      return query(sql, values);
    });
    try {
      const body = { kind: 'writes', reason: 'a fire' };
      const headers = { 'idempotency-key': 'locked-though-away' };
      const made = await world.world.api.send<Lock>('POST', '/v1/locks', body, headers);
      expect((await world.world.api.send<Lock>('POST', '/v1/locks', body, headers)).body).toEqual(made.body);
      isAway = false;
      const locks = app.get(Locks);
      await locks.sweep();
      expect(() => locks.refuseWrites()).toThrow(expect.objectContaining({ code: 'locked' }));
      isAway = true;
      await lift(made.body);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('lets reads through and no write, to devices or to the gateway, but for locks themselves', async () => {
    const { api } = world.world;
    const made = await lock({ kind: 'writes' });
    const [id] = world.ids;
    const fanOut = { selector: 'all', request: { method: 'POST', path: WIREGUARD, json: { data: {} } } };
    expect(await codeOf(api.send('POST', `/v1/devices/${id}${WIREGUARD}`, { data: { id: 'a' } }))).toBe('locked');
    expect(await codeOf(api.send('POST', '/v1/fan-out', fanOut, { 'idempotency-key': 'a-key-of-mine' }))).toBe(
      'locked',
    );
    expect(await codeOf(api.send('PATCH', `/v1/devices/${id}`, { tags: [] }))).toBe('locked');
    expect(await codeOf(api.send('PUT', '/v1/roles/x', { rules: [] }))).toBe('locked');
    expect(await codeOf(api.send('GET', `/v1/devices/${id}${WIREGUARD}`))).toBe(200);
    await until(async () => (await atReplica(person.key, `/v1/devices/${id}${WIREGUARD}`, 'POST')) === 'locked');
    await lift(made);
    expect(await codeOf(api.send('PATCH', `/v1/devices/${id}`, { tags: [] }))).toBe(200);
  });
});

describe('jobs', () => {
  afterEach(cleanUp);

  const jobOf = (id: string) => world.world.api.get<Record<string, unknown>>(`/v1/jobs/${id}`);
  const untilJob = (id: string, key: string, value: string) =>
    until(async () => {
      const job = await jobOf(id).catch(nullWhenBusy);
      return job?.[key] === value && job;
    });
  const whenEnded = (id: string) => untilJob(id, 'phase', 'ended');

  /** A job that waits for its device, which is away. */
  async function waitingJob(api: TestApi): Promise<string> {
    world.fleet.devices[0]!.faults.add({ kind: 'refuse' });
    const { id } = await api.post<{ id: string }>(`/v1/devices/${world.ids[0]}/jobs`, { kind: 'backup' });
    await untilJob(id, 'waitReason', 'device_offline');
    return id;
  }

  /** The device is there again, and nothing of its absence is remembered. */
  async function comesBack(): Promise<void> {
    world.fleet.devices[0]!.faults.clear();
    await world.world.api.post(`/v1/devices/${world.ids[0]}/session/reset`);
  }

  const LOCKS: readonly [string, () => object][] = [
    ['of somebody who is locked', () => ({ kind: 'operator', target: person.operatorId })],
    ['on a locked device', () => ({ kind: 'device', target: world.ids[0] })],
    ['that would write while all writes are locked', () => ({ kind: 'writes' })],
  ];
  it.each(casesOf(LOCKS, 1))(
    '%s wait with the reason `locked`, and go on when it is lifted',
    async (_which, target) => {
      const id = await waitingJob(person.api);
      const made = await lock(target());
      // Before the device is there again: the job could end before the lock.
      expect(await untilJob(id, 'waitReason', 'locked')).toMatchObject({
        phase: 'queued',
        failure: { code: 'locked' },
      });
      await lift(made);
      await comesBack(); // not earlier: it is a write
      expect(await whenEnded(id)).toMatchObject({ outcome: 'succeeded' });
    },
  );

  it('of somebody who may not any more end, and nothing was changed', async () => {
    const one = await addPerson(world.world, 'Pia', [{ role: 'operator' }]);
    const id = await waitingJob(one.api);
    await world.world.api.send('PUT', `/v1/operators/${one.operatorId}/roles`, { roles: [{ role: 'viewer' }] });
    await comesBack();
    expect(await whenEnded(id)).toMatchObject({
      outcome: 'not_executed',
      failure: { code: 'starter_may_not', facts: { permission: 'job.start', startedBy: one.name } },
    });
  });

  it('of a device that a person gave another address or serial number since end, and nothing was sent there', async () => {
    const { baseUrl, username, password, serial } = world.fleet.devices[0]!;
    const change = (body: object) => world.world.api.send('PATCH', `/v1/devices/${world.ids[0]}`, body);
    const credentials = { username, password };
    await change({ serial });
    for (const [moved, back] of [
      [
        { baseUrl: 'https://127.0.0.1:9', credentials },
        { baseUrl, credentials },
      ],
      [{ serial: 'ANOTHER-1' }, { serial }],
    ]) {
      const id = await waitingJob(person.api);
      await change(moved!);
      const ended = await whenEnded(id);
      expect(ended).toMatchObject({ outcome: 'not_executed', failure: { code: 'device_replaced' } });
      await change(back!);
      await comesBack();
    }
    const { id } = await person.api.post<{ id: string }>(`/v1/devices/${world.ids[0]}/jobs`, { kind: 'backup' });
    expect(await whenEnded(id)).toMatchObject({ outcome: 'succeeded' }); // it was started after the moves
  });

  itInFull('of a key that was revoked end too', async () => {
    const gone = await addPerson(world.world, 'Gil', [{ role: 'operator' }]);
    const id = await waitingJob(gone.api);
    await world.world.api.send('DELETE', `/v1/api-keys/${gone.keyId}`);
    await comesBack();
    expect(await whenEnded(id)).toMatchObject({ outcome: 'not_executed', failure: { code: 'starter_may_not' } });
  });
});

describe('a change of rights', () => {
  it('is in force on the other replica too', async () => {
    const one = await addPerson(world.world, 'Rea', [{ role: 'operator' }]);
    const path = `/v1/devices/${world.ids[0]}`;
    expect(await atReplica(one.key, path)).toBe(200);
    await world.world.api.send('PUT', '/v1/roles/blind', { rules: [] });
    await world.world.api.send('PUT', `/v1/operators/${one.operatorId}/roles`, { roles: [{ role: 'blind' }] });
    await until(async () => (await atReplica(one.key, path)) === 'forbidden');
    const rules = [{ effect: 'allow', permissions: ['device.read'] }];
    await world.world.api.send('PUT', '/v1/roles/blind', { rules });
    await until(async () => (await atReplica(one.key, path)) === 200);
    expect(await atReplica(one.key, '/v1/jobs')).toBe('forbidden');
  });
});

describe('the list of locks', () => {
  it('has those in force, and with `all` those that have ended; each is in the audit', async () => {
    const made = await lock({ kind: 'writes' });
    const list = async (query = '') =>
      (await world.world.api.get<{ items: Record<string, unknown>[] }>(`/v1/locks${query}`)).items;
    expect(await list()).toMatchObject([{ id: made.id, kind: 'writes', target: null, reason: 'a fire' }]);
    await lift(made);
    expect(await list()).toEqual([]);
    expect((await list('?all=true')).length).toBeGreaterThan(5);
    const { items } = await world.world.api.get<{ items: { action: string }[] }>('/v1/audit?action=lock.*');
    expect(items.slice(0, 2).map(({ action }) => action)).toEqual(['lock.lift', 'lock.set']);
  });
});
