import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { DEVICE_SORTS } from '../../src/devices/registry/device-order.js';
import { addKey, addPerson } from '../support/people.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface Page {
  readonly items: readonly { id: string; name?: string; state?: string }[];
  readonly next: string | null;
  readonly count?: { devices: number; exact: boolean };
}

let world: TestGateway;
let db: pg.Client;

/** Rows with equal and missing values in each column that can be sorted by. */
const ROWS = `
  insert into device (id, name, base_url, serial, mac, model, firmware, site, tags, note, state, seen_at, created_at, updated_at)
  select gen_random_uuid(), (array['Pump','pümp','äöü','Valve'])[1 + n % 4] || n, 'https://10.8.0.' || n, 'SN-' || n,
         '00:1e:42:00:00:' || lpad(to_hex(n), 2, '0'), case when n % 3 > 0 then repeat('RUT' || n % 2, 60) end,
         case when n % 2 > 0 then 'RUTX_R_00.07.' || n % 5 end, 'city/plant-' || n % 3, array['t' || n % 2],
         case when n = 4 then 'Keys at the GATE' else '' end, case when n % 2 = 0 then 'online' else 'new' end,
         case when n % 4 > 0 then timestamptz '2026-01-01 00:00:00.123+00' + n % 3 * interval '1 hour' end,
         timestamptz '2026-01-01' + n / 2 * interval '1 second', timestamptz '2026-01-02'
    from generate_series(1, 13) as n`;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  await db.query(ROWS);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const list = (query: Record<string, string>, api = world.api) =>
  api.get<Page>(`/v1/devices?${new URLSearchParams(query).toString()}`);

const namesOf = async (query: Record<string, string>) => (await list(query)).items.map(({ name }) => name);

async function pages(query: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | null | undefined; next !== null;) {
    const page: Page = await list({ ...query, limit: '5', ...(next === undefined ? {} : { cursor: next }) });
    ids.push(...page.items.map(({ id }) => id));
    next = page.next;
  }
  return ids;
}

describe('the list of devices', () => {
  it('has each device once in each order, and the opposite order with `-`', async () => {
    for (const sort of DEVICE_SORTS.filter((one) => !one.startsWith('-'))) {
      const forward = await pages({ sort });
      expect([sort, new Set(forward).size]).toEqual([sort, 13]);
      expect([sort, await pages({ sort: `-${sort}` })]).toEqual([sort, forward.toReversed()]);
    }
  });

  it('puts names in their order without their case, and devices without an answer first by `seenAt`', async () => {
    const { rows } = await db.query<{ name: string }>('select name from device order by lower(name), id');
    expect(await namesOf({ sort: 'name' })).toEqual(rows.map(({ name }) => name));
    const unseen = await db.query<{ name: string }>('select name from device where seen_at is null');
    expect(new Set((await namesOf({ sort: 'seenAt' })).slice(0, 3))).toEqual(
      new Set(unseen.rows.map(({ name }) => name)),
    );
  });

  it('leaves out as many rows as `offset` says, in any order', async () => {
    const all = await namesOf({ sort: '-name' });
    const part = await list({ sort: '-name', offset: '4', limit: '3' });
    expect(part.items.map(({ name }) => name)).toEqual(all.slice(4, 7));
    expect((await list({ sort: '-name', offset: '100' })).items).toEqual([]);
    await expect(list({ offset: '200001' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('refuses the cursor of another order, and a made-up one', async () => {
    const { next } = await list({ sort: 'name', limit: '5' });
    for (const sort of ['-name', 'site', 'createdAt'])
      await expect(list({ sort, cursor: next! })).rejects.toMatchObject({ code: 'invalid_cursor' });
    const forged = Buffer.from(JSON.stringify(['devices seenAt', 'soon', crypto.randomUUID()])).toString('base64url');
    await expect(list({ sort: 'seenAt', cursor: forged })).rejects.toMatchObject({ code: 'invalid_cursor' });
    await expect(list({ sort: 'base_url' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it.each([
    ['pump12', 1],
    ['PÜMP', 4],
    ['sn-7', 1],
    ['00:1E:42:00:00:0d', 1],
    ['001e4200000d', 1],
    ['rut1', 5],
    ['plant-2 t0', 2],
    ['t1 city', 7],
    ['keys gate', 1],
    ['plant-_', 0],
    ['100%', 0],
    ['keys nowhere', 0],
  ])('finds the devices with all words of %j: %i', async (q, expected) => {
    expect((await list({ q, count: 'exact' })).count).toEqual({ devices: expected, exact: true });
  });

  it('searches with at most 8 words', async () => {
    await expect(list({ q: 'a b c d e f g h i' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('counts the devices of the list and not of the page', async () => {
    const page = await list({ selector: 'site:city/plant-1', count: 'exact', limit: '2' });
    expect(page).toMatchObject({ count: { devices: 5, exact: true } });
    expect(page.items).toHaveLength(2);
    expect((await list({ limit: '2', cursor: (await list({ limit: '2' })).next!, count: 'estimate' })).count).toEqual({
      devices: 13,
      exact: true,
    });
    expect(await list({})).not.toHaveProperty('count');
  });

  it('has only the fields that were asked for, and the id', async () => {
    const { items } = await list({ fields: 'name,state', limit: '1' });
    expect(Object.keys(items[0]!).sort()).toEqual(['id', 'name', 'state']);
    await expect(list({ fields: 'name,password' })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('custom fields', () => {
  const define = (key: string, field: object) => world.api.send('PUT', `/v1/fields/${key}`, field);
  const change = (fields: object) => world.api.send<{ fields: object }>('PATCH', '/v1/devices/serial:SN-3', { fields });

  it('have values of their type, which selectors, summaries and exports use', async () => {
    await define('rack', { type: 'number' });
    await define('region', { type: 'choice', choices: ['north', 'south'], description: 'Where it is' });
    expect((await change({ rack: 7.5, region: 'north' })).body.fields).toEqual({ rack: 7.5, region: 'north' });
    expect((await change({ rack: 12 })).body.fields).toEqual({ rack: 12, region: 'north' });
    for (const selector of ['field.region:NOR*', 'field.rack=12', '!field.rack!=12 & field.region:north'])
      expect([selector, (await list({ selector, count: 'exact' })).count?.devices]).toEqual([selector, 1]);
    expect(await world.api.get('/v1/devices/summary?by=field.region')).toMatchObject({
      groups: [
        {
          by: 'field.region',
          values: [
            { value: null, devices: 12 },
            { value: 'north', devices: 1 },
          ],
        },
      ],
    });
    await expect(world.api.get("/v1/devices/summary?by=field.a'b")).rejects.toMatchObject({ code: 'invalid_input' });

    const headers = { authorization: `Bearer ${world.keys.operator}` };
    const send = async (type: string, body: string) =>
      (
        await fetch(`${world.url}/v1/devices/import`, {
          method: 'POST',
          headers: { ...headers, 'content-type': type },
          body,
        })
      ).json();
    for (const [format, type] of [
      ['csv', 'text/csv'],
      ['ndjson', 'application/x-ndjson'],
    ] as const) {
      const file = await fetch(`${world.url}/v1/devices/export?format=${format}&selector=field.rack:12`, { headers });
      expect(await send(type, await file.text())).toMatchObject({ unchanged: 1, failed: 0 });
    }
    const line = { name: 'new-one', baseUrl: 'https://10.8.1.1', fields: { region: 'south', rack: 'seven' } };
    const { id } = (await list({ q: 'sn-3' })).items[0]!;
    expect(await send('application/x-ndjson', JSON.stringify(line))).toMatchObject({
      code: 'import_refused',
      errors: [{ line: 1, field: 'fields.rack', code: 'invalid_input' }],
    });
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ fields: { rack: 12 } });
  });

  it('refuse values of another type, and keys without a definition', async () => {
    const refused = { status: 400, code: 'invalid_input' };
    await expect(change({ region: 'west' })).rejects.toMatchObject({
      ...refused,
      problem: { errors: [{ pointer: '/body/fields/region' }] },
    });
    await expect(change({ colour: 'red' })).rejects.toMatchObject(refused);
    const device = { name: 'other', baseUrl: 'https://10.8.1.2', fields: { rack: 'x' } };
    await expect(world.api.post('/v1/devices', device)).rejects.toMatchObject(refused);
    await expect(world.api.get('/v1/devices/name:other')).rejects.toMatchObject({ code: 'device_not_found' });
  });

  it('stay while a role, an assignment, a key or a lock names them', async () => {
    await define('zone', { type: 'text' });
    const refused = async (holder: string) =>
      expect([holder, await world.api.send('DELETE', '/v1/fields/zone').catch((error: object) => error)]).toMatchObject(
        [holder, { status: 409, code: 'field_in_rights' }],
      );
    const selector = '!(tag:x | Field.ZONE:north)';
    const { api } = world;
    const rule = { effect: 'deny', permissions: ['device.read'], selector };
    await api.send('PUT', '/v1/roles/zoned', { rules: [rule] });
    await refused('role');
    await api.send('DELETE', '/v1/roles/zoned');
    const lock = await api.post<{ id: string }>('/v1/locks', { kind: 'selector', target: selector, reason: 'test' });
    await refused('lock');
    await api.send('DELETE', `/v1/locks/${lock.id}`);
    const person = await addPerson(world, 'Zoe', [{ role: 'viewer', selector }]);
    await refused('assignment');
    await api.send('PUT', `/v1/operators/${person.operatorId}/roles`, {
      roles: [{ role: 'viewer', selector: 'field.zone2:a' }],
    });
    const { keyId } = await addKey(world, person.operatorId, { selector });
    await refused('key');
    await api.send('DELETE', `/v1/api-keys/${keyId}`);
    expect((await api.send('DELETE', '/v1/fields/zone')).status).toBe(204);
  });

  it('are checked before a device is locked, as their removal locks them', async () => {
    await db.query('begin');
    await db.query('select from device_field for update');
    const edit = change({ rack: 12 });
    edit.catch(() => undefined);
    const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    try {
      await expect.poll(async () => (await db.query(blocked)).rowCount, { interval: 50 }).toBe(1);
      expect((await db.query(`select from device where serial = 'SN-3' for update nowait`)).rowCount).toBe(1);
    } finally {
      await db.query('rollback');
    }
    expect((await edit).status).toBe(200);
  });

  it('are defined by administrators, not against values that devices have, and removed with these values', async () => {
    await expect(world.as('operator').send('PUT', '/v1/fields/mine', { type: 'text' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(define('region', { type: 'choice', choices: ['south'] })).rejects.toMatchObject({
      code: 'field_in_use',
      problem: { devices: 1 },
    });
    await define('region', { type: 'choice', choices: ['north', 'west'] });
    await world.api.send('DELETE', '/v1/fields/region');
    expect(await world.api.get('/v1/devices/serial:SN-3')).toMatchObject({ fields: { rack: 12 } });
    await expect(world.api.send('DELETE', '/v1/fields/region')).rejects.toMatchObject({ code: 'field_not_found' });
    expect((await world.api.get<{ items: { key: string }[] }>('/v1/fields')).items.map(({ key }) => key)).toEqual([
      'plan_mb',
      'rack',
    ]);
    await db.query(
      `insert into device_field (key, type, updated_at) select 'f' || n, 'text', now() from generate_series(1, 48) as n`,
    );
    await expect(define('more', { type: 'text' })).rejects.toMatchObject({ code: 'too_many_fields' });
  });
});
