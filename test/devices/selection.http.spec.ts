import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type TestApi } from '../support/test-api.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';

/* A bulk action acts on the devices that its caller has seen, or not at all. */

interface Preview {
  readonly matched: number;
  readonly count: number;
  readonly sample: readonly { name: string }[];
  readonly excluded: readonly { reason: string; count: number; sample: readonly { name: string }[] }[];
  readonly digest: string;
}

interface Summary {
  readonly devices: number;
  readonly groups: readonly {
    by: string;
    values: readonly { value: string | null; devices: number }[];
    others: number;
  }[];
}

let world: TestGateway;
let db: pg.Client;
/** Sees the devices of the site `near`, and may change those with the tag `own`. */
let narrow: TestApi;

const DEVICES = `
  insert into device (id, name, base_url, site, tags, model, state, created_at, updated_at)
  select gen_random_uuid(), 'device-' || n, 'https://10.9.0.' || n, case when n <= 8 then 'near' else 'far' end,
         case when n % 2 = 0 then array['own', 'pump'] else array['pump'] end, case when n > 2 then 'RUT' || n % 3 end,
         case when n = 3 then 'trust_changed' else 'online' end, now() + n * interval '1 second', now()
    from generate_series(1, 12) as n`;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  await db.query(DEVICES);
  await db.query(
    `insert into device_account (id, device_id, username, sealed_password, changed_at)
     select gen_random_uuid(), id, 'admin', '', now() from device where name <> 'device-4'`,
  );
  await world.api.send('PUT', '/v1/roles/near-only', {
    rules: [
      { effect: 'allow', permissions: ['device.read', 'device.call_read'], selector: 'site:near' },
      { effect: 'allow', permissions: ['device.manage'], selector: 'site:near & tag:own' },
    ],
  });
  narrow = (await addPerson(world, 'Nora', [{ role: 'near-only' }])).api;
});
afterAll(async () => {
  await db.query(`delete from device_account`); // their passwords are no sealed values
  await db.end();
  await world.close();
});

const preview = (selector: string, permission: string, api = world.api) =>
  api.post<Preview>('/v1/devices/preview', { selector, permission });

describe('the preview of a bulk action', () => {
  it('counts what the action would take, and names what it would leave out with the reason', async () => {
    const shown = await preview('tag:pump', 'device.call_read', narrow);
    expect(shown).toMatchObject({ matched: 8, count: 6, digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(shown.sample.map(({ name }) => name)).toEqual([1, 2, 5, 6, 7, 8].map((n) => `device-${n}`));
    expect(shown.excluded).toMatchObject([
      { reason: 'device_trust_changed', count: 1, sample: [{ name: 'device-3' }] },
      { reason: 'device_has_no_credentials', count: 1, sample: [{ name: 'device-4' }] },
    ]);
    const managed = await preview('tag:pump', 'device.manage', narrow);
    expect(managed).toMatchObject({ matched: 8, count: 4, excluded: [{ reason: 'forbidden', count: 4 }] });
    expect(managed.digest).toBe(shown.digest);
  });

  it('excludes locked devices from actions that change or call them, and works while all writes are locked', async () => {
    const reason = 'a test';
    const locks = [
      { kind: 'selector', target: 'name:device-5', reason },
      { kind: 'writes', reason },
    ];
    const ids: string[] = [];
    for (const lock of locks) ids.push((await world.api.post<{ id: string }>('/v1/locks', lock)).id);
    try {
      for (const permission of ['device.manage', 'device.call_read']) {
        const refused = { count: 0, excluded: [{ reason: 'locked' }] };
        expect(await preview('name:device-5', permission)).toMatchObject(refused);
      }
      expect(await preview('name:device-5', 'device.read')).toMatchObject({ count: 1, excluded: [] });
    } finally {
      for (const id of ids) await world.api.send('DELETE', `/v1/locks/${id}`);
    }
  });

  it('refuses a permission that is not about devices', async () => {
    await expect(preview('all', 'audit.export')).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('a bulk action with the digest of a preview', () => {
  const request = { method: 'POST', path: '/api/system/device/actions/reboot' };
  const BULK: readonly (readonly [string, object])[] = [
    ['/v1/devices/tags', { add: ['new'] }],
    ['/v1/devices/delete', {}],
    ['/v1/fan-out', { request }],
    ['/v1/fan-outs', { request }],
    ['/v1/fan-out', { request: { method: 'GET', path: '/api/system/device/status' } }],
    ['/v1/rollouts', { name: 'late', kind: 'reboot' }],
  ];

  it.each(BULK)('does nothing when the selector names other devices by then: %s', async (path, more) => {
    const selector = 'tag:pump & !tag:moved';
    const { digest } = await preview(selector, 'device.manage');
    const changed = await world.api.post('/v1/devices/tags', { selector: 'name:device-1*', add: ['moved'] });
    expect(changed).toMatchObject({ changed: 4 });
    const rows = () => db.query('select id, tags, version from device order by id');
    const before = await rows();
    const entries = () => db.query<{ count: string }>('select count(*) from audit_entry');
    const audited = await entries();
    const body = { selector, expectedDigest: digest, ...more };
    const late = world.api.send('POST', path, body, { 'idempotency-key': crypto.randomUUID() });
    await expect(late).rejects.toMatchObject({ status: 409, code: 'selection_changed', problem: { matched: 8 } });
    expect((await rows()).rows).toEqual(before.rows);
    expect((await entries()).rows).toEqual(audited.rows);
    for (const made of ['/v1/rollouts', '/v1/fan-outs'])
      expect((await world.api.get<{ items: unknown[] }>(made)).items).toEqual([]);
    await world.api.post('/v1/devices/tags', { selector: 'tag:moved', remove: ['moved'] });
  });

  it('acts when they are the same, also where the caller may change only some of them', async () => {
    const { digest } = await preview('site:near', 'device.manage', narrow);
    const change = { selector: 'site:near', add: ['seen'], expectedDigest: digest };
    const answer = await narrow.post('/v1/devices/tags', change);
    expect(answer).toMatchObject({ matched: 8, changed: 4, forbidden: 4 });
    await world.api.post('/v1/devices/tags', { selector: 'all', remove: ['seen'] });
  });

  it('does nothing when another transaction takes a device out of the selection before it can lock it', async () => {
    const { digest } = await preview('tag:own', 'device.manage');
    await db.query('begin');
    await db.query(`update device set tags = '{pump}' where name = 'device-2'`);
    const late = world.api.post('/v1/devices/tags', { selector: 'tag:own', add: ['late'], expectedDigest: digest });
    late.catch(() => undefined);
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await db.query(blocked)).rowCount, { interval: 50 }).toBe(1);
    await db.query('commit');
    await expect(late).rejects.toMatchObject({ code: 'selection_changed' });
    expect((await db.query(`select from device where tags @> '{late}'`)).rowCount).toBe(0);
    await db.query(`update device set tags = '{own,pump}' where name = 'device-2'`);
  });
});

describe('the summary of devices', () => {
  const summary = (query: Record<string, string>, api = world.api) =>
    api.get<Summary>(`/v1/devices/summary?${new URLSearchParams(query).toString()}`);

  it('counts the values of each field, the most frequent first', async () => {
    expect(await summary({ selector: 'tag:pump', by: 'tag,model,site' })).toEqual({
      devices: 12,
      groups: [
        {
          by: 'tag',
          values: [
            { value: 'pump', devices: 12 },
            { value: 'own', devices: 6 },
          ],
          others: 0,
        },
        {
          by: 'model',
          values: [
            { value: 'RUT0', devices: 4 },
            { value: 'RUT1', devices: 3 },
            { value: 'RUT2', devices: 3 },
            { value: null, devices: 2 },
          ],
          others: 0,
        },
        {
          by: 'site',
          values: [
            { value: 'near', devices: 8 },
            { value: 'far', devices: 4 },
          ],
          others: 0,
        },
      ],
    });
  });

  it('counts mobile networks, whose devices selectors name', async () => {
    await db.query(`update device set network_operator = 'Example Mobile' where name in ('device-1', 'device-12')`);
    const of = (site: string) => summary({ selector: `site:${site}`, by: 'operator' });
    const values = (rest: number) => [
      { value: null, devices: rest },
      { value: 'Example Mobile', devices: 1 },
    ];
    expect(await of('near')).toEqual({ devices: 8, groups: [{ by: 'operator', values: values(7), others: 0 }] });
    expect(await of('far')).toEqual({ devices: 4, groups: [{ by: 'operator', values: values(3), others: 0 }] });
    const { items } = await world.api.get<{ items: { name: string; networkOperator: string }[] }>(
      '/v1/devices?selector=operator:example*%20%26%20site:far',
    );
    expect(items).toMatchObject([{ name: 'device-12', networkOperator: 'Example Mobile' }]);
    const { body } = await world.api.send('PATCH', '/v1/devices/name:device-12', { serial: 'SN-NEW' });
    expect(body).toMatchObject({ networkOperator: null }); // other hardware
  });

  it('counts only devices in sight', async () => {
    expect(await summary({ by: 'site' }, narrow)).toEqual({
      devices: 8,
      groups: [{ by: 'site', values: [{ value: 'near', devices: 8 }], others: 0 }],
    });
    const none = await summary({ selector: 'site:far', by: 'state,tag' }, narrow);
    expect(none).toEqual({ devices: 0, groups: ['state', 'tag'].map((by) => ({ by, values: [], others: 0 })) });
  });

  it('lists 200 values of a field, and counts the others', async () => {
    await db.query(
      `update device set tags = array(select 't' || n from generate_series(1, 250) as n) where name = 'device-9'`,
    );
    const { groups } = await summary({ selector: 'name:device-9', by: 'tag' });
    expect(groups[0]?.values).toHaveLength(200);
    expect(groups[0]?.others).toBe(50);
    await expect(summary({ by: 'note' })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('GET /v1/self', () => {
  it('names the devices of permissions that are not held for all', async () => {
    expect(await world.api.get('/v1/self')).toMatchObject({ selectors: {} });
    const near = '(site:near)';
    const selectors = { 'device.read': near, 'device.call_read': near, 'device.manage': '(site:near & tag:own)' };
    expect(await narrow.get('/v1/self')).toMatchObject({ selectors });
  });

  it('has no text of a rule that names devices, unless the caller sees all devices', async () => {
    const rules = (selector: string, permission: string) => ({
      rules: [
        { effect: 'allow', permissions: ['device.read', 'device.manage', 'job.read'], selector: null },
        { effect: 'deny', permissions: [permission], selector },
      ],
    });
    const self = async (role: string) => {
      const { api } = await addPerson(world, role, [{ role }]);
      return (await api.get<{ selectors: Record<string, string | null> }>('/v1/self')).selectors;
    };
    await world.api.send('PUT', '/v1/roles/blind', rules('name:device-9', 'device.read'));
    expect(await self('blind')).toEqual({ 'device.read': null, 'device.manage': null, 'job.read': null });
    await world.api.send('PUT', '/v1/roles/seeing', rules('name:device-9', 'device.manage'));
    expect(await self('seeing')).toEqual({ 'device.manage': '!((name:device-9))' });
  });
});

describe('the availability', () => {
  interface Availability {
    readonly points: readonly { at: string; devices: number; online: number }[];
  }
  const HOUR_MS = 3_600_000;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
  /** What the last point before an instant says. */
  const seen = ({ points }: Availability, hours: number) => {
    const { devices, online } = points.findLast(({ at }) => at <= hoursAgo(hours))!;
    return { devices, online };
  };

  it('undoes the changes of state since each instant', async () => {
    await db.query(`update device set created_at = now() - interval '30 days' where name <> 'device-1'`);
    await db.query(`update device set created_at = now() - interval '2 hours' where name = 'device-1'`);
    await db.query(
      `insert into device_change (device_id, at, field, before, after)
       select id, now() - interval '12 hours', 'state', 'offline', 'online' from device where name in ('device-5', 'device-9')
       union all
       select id, now() - interval '2 hours', 'state', 'unknown', 'online' from device where name = 'device-1'
       union all
       select id, now() - interval '5 hours', 'state', 'online', 'trust_changed' from device where name = 'device-3'
       union all
       select id, now() - interval '3 hours', 'firmware', 'offline', 'online' from device where name = 'device-7'`,
    );

    const all = await world.api.get<Availability>('/v1/devices/availability');

    expect(all.points).toHaveLength(48);
    expect(seen(all, 20)).toEqual({ devices: 11, online: 9 });
    expect(seen(all, 8)).toEqual({ devices: 11, online: 11 });
    expect(seen(all, 4)).toEqual({ devices: 11, online: 10 });
    expect(seen(all, 0)).toEqual({ devices: 12, online: 11 });
  });

  it('counts only devices in sight', async () => {
    const { points } = await narrow.get<Availability>('/v1/devices/availability?hours=168');
    expect(points.at(-1)).toMatchObject({ devices: 8, online: 7 });
    expect(Date.parse(points.at(-1)!.at) - Date.parse(points[0]!.at)).toBe(168 * HOUR_MS);
    await expect(narrow.get('/v1/devices/availability?hours=169')).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
