import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface DeviceView {
  id: string;
  name: string;
  baseUrl: string;
  tags: string[];
  trust: { mode: string; pin: string | null };
  credentials: { username: string } | null;
  state: string;
}

let world: TestGateway;
let db: pg.Pool;
let serialNumber = 0;

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  db = new pg.Pool({ connectionString: world.databaseUrl, max: 2 });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** A registered device with values that no other has. */
function register(more: Record<string, unknown> = {}): Promise<DeviceView> {
  const number = ++serialNumber;
  return world.api.post<DeviceView>('/v1/devices', {
    name: `device-${number}`,
    baseUrl: `https://10.7.${number >> 8}.${number & 255}`,
    ...more,
  });
}

const auditOf = async (deviceId: string) => {
  const { items } = await world.api.get<{ items: { action: string; facts: unknown }[] }>(
    `/v1/audit?deviceId=${deviceId}`,
  );
  return items.map(({ action }) => action).toReversed();
};

describe('registering a device', () => {
  it('answers with its address and version, and without its password', async () => {
    const { status, headers, body } = await world.api.send<DeviceView>('POST', '/v1/devices', {
      name: 'Pump 1',
      baseUrl: 'https://192.0.2.7',
      mac: '00-1E-42-AA-bb-01',
      tags: ['b', 'a', 'b'],
      site: 'vilnius/plant-2',
      credentials: { username: 'admin', password: 'Planted-Secret-1' },
    });
    expect(status).toBe(201);
    expect(headers['location']).toBe(`/v1/devices/${body.id}`);
    expect(headers['etag']).toBe('"1"');
    expect(body).toMatchObject({
      name: 'Pump 1',
      baseUrl: 'https://192.0.2.7',
      mac: '00:1e:42:aa:bb:01',
      tags: ['a', 'b'],
      trust: { mode: 'pin', pin: null },
      credentials: { username: 'admin', failedLogins: 0 },
      state: 'new',
    });
    expect(JSON.stringify(body)).not.toContain('Planted-Secret-1');
    expect(await auditOf(body.id)).toEqual(['device.register']);
  });

  it.each([
    ['name', { name: 'Twin' }, { name: 'TWIN' }],
    ['baseUrl', { baseUrl: 'https://10.9.9.9' }, { baseUrl: 'https://10.9.9.9:443/' }],
    ['serial', { serial: 'S-1' }, { serial: 'S-1' }],
    ['mac', { mac: '001e42aabb99' }, { mac: '00:1E:42:AA:BB:99' }],
  ])('refuses a second one with the same %s and says so', async (field, first, second) => {
    await register(first);
    const before = await db.query('select from device');
    await expect(register(second)).rejects.toMatchObject({ status: 409, code: 'device_exists', problem: { field } });
    expect((await db.query('select from device')).rowCount).toBe(before.rowCount);
  });

  it('seals the password so that the row does not show it', async () => {
    const { id } = await register({ credentials: { username: 'admin', password: 'Planted-Secret-2' } });
    const { rows } = await db.query<{ sealed: Buffer }>(
      'select sealed_password as sealed from device_account where device_id = $1',
      [id],
    );
    expect(rows[0]?.sealed.includes('Planted-Secret-2')).toBe(false);
  });

  it('takes trust without a check only with an end, a month ahead at most', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const trust = (expiresAt: string) => ({ trust: { mode: 'insecure', expiresAt } });
    await expect(register(trust(inDays(29)))).resolves.toMatchObject({ trust: { mode: 'insecure' } });
    for (const days of [-1, 31]) {
      await expect(register(trust(inDays(days)))).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });

  it('takes certificates for trust `ca` only when they are some', async () => {
    await expect(register({ trust: { mode: 'ca', ca: 'no certificate' } })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

describe('an address that would be read as another one', () => {
  const WRITTEN = ['https://192.168.001.010', 'https://192.168.1', 'https://3232235786', 'https://192.168.1.10.'];

  it.each(WRITTEN)('is refused for %s in every way into the registry', async (baseUrl) => {
    const refused = {
      code: 'base_url_refused',
      problem: { reason: expect.stringContaining('would be read as 192.168.') },
    };
    const { id, baseUrl: present } = await register();
    await expect(register({ baseUrl })).rejects.toMatchObject(refused);
    await expect(world.api.send('PATCH', `/v1/devices/${id}`, { baseUrl })).rejects.toMatchObject(refused);
    await expect(world.api.send('POST', `/v1/devices/${id}/replace`, { baseUrl })).rejects.toMatchObject(refused);
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ baseUrl: present });
  });
});

describe('reading devices', () => {
  it('finds one by id, name, serial number and MAC', async () => {
    const device = await register({ name: 'Find Me', serial: 'F-1', mac: '001e42aabb55' });
    for (const ref of [
      device.id,
      device.id.toUpperCase(),
      'name:find me',
      'name:FIND%20ME',
      'serial:F-1',
      'mac:00-1E-42-AA-BB-55',
      'mac:001e.42aa.bb55',
      'mac:001E42AABB55',
    ]) {
      expect(await world.api.get(`/v1/devices/${ref}`)).toMatchObject({ id: device.id });
    }
  });

  it('pages through all of them, each once, in the order of registration', async () => {
    for (let count = 0; count < 7; count++) await register({ tags: ['paged'] });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: DeviceView[]; next: string | null } = await world.api.get(
        `/v1/devices?tag=paged&limit=3${cursor ? `&cursor=${cursor}` : ''}`,
      );
      expect(page.items.length).toBeLessThanOrEqual(3);
      seen.push(...page.items.map(({ name }) => name));
      cursor = page.next;
    } while (cursor);
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
  });

  it('filters by tag, site, everything below a site, and state', async () => {
    await register({ site: 'riga/a', tags: ['x1'] });
    await register({ site: 'riga/b', tags: ['x1'] });
    await register({ site: 'riga', tags: ['x1'] });
    const count = async (query: string) =>
      (await world.api.get<{ items: unknown[] }>(`/v1/devices?${query}`)).items.length;
    expect(await count('tag=x1')).toBe(3);
    expect(await count('site=riga/a')).toBe(1);
    expect(await count('site=riga/*')).toBe(2);
    expect(await count('tag=x1&state=new')).toBe(3);
    expect(await count('tag=x1&state=online')).toBe(0);
    expect(await count('site=ri%25')).toBe(0);
    expect(await count(`selector=${encodeURIComponent('tag:x1 & !site:riga/a')}`)).toBe(2);
  });
});

describe('a selector that cannot be read', () => {
  it('is 400 and says where', async () => {
    const list = world.api.get(`/v1/devices?selector=${encodeURIComponent('tag:x1 & colour:red')}`);
    await expect(list).rejects.toMatchObject({
      status: 400,
      code: 'invalid_selector',
      problem: { position: 9, near: 'colour:red' },
    });
  });
});

describe('changing a device', () => {
  it('changes what is named, leaves the rest, raises the version and says what changed', async () => {
    const { id } = await register({ tags: ['old'], site: 'oslo' });
    const { body, headers } = await world.api.send<DeviceView>(
      'PATCH',
      `/v1/devices/${id}`,
      { tags: ['new'] },
      { 'if-match': '"1"' },
    );
    expect(body).toMatchObject({ tags: ['new'], site: 'oslo' });
    expect(headers['etag']).toBe('"2"');
    expect(await auditOf(id)).toEqual(['device.register', 'device.change']);
  });

  it('is refused when someone else was quicker', async () => {
    const { id } = await register();
    await world.api.send('PATCH', `/v1/devices/${id}`, { site: 'a' });
    const late = world.api.send('PATCH', `/v1/devices/${id}`, { site: 'b' }, { 'if-match': '"1"' });
    await expect(late).rejects.toMatchObject({ status: 412, code: 'version_changed' });
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ site: 'a' });
  });

  it('replaces credentials and counts refused logins anew', async () => {
    const { id } = await register({ credentials: { username: 'admin', password: 'old-password' } });
    await db.query('update device_account set failed_logins = 3 where device_id = $1', [id]);
    await db.query(`update device set state = 'credentials_refused' where id = $1`, [id]);
    const { body } = await world.api.send('PUT', `/v1/devices/${id}/credentials`, {
      username: 'gateway',
      password: 'new-password',
    });
    expect(body).toMatchObject({ credentials: { username: 'gateway', failedLogins: 0 }, state: 'new' });
    expect(await auditOf(id)).toEqual(['device.register', 'device.credentials']);
  });

  it('forgets the credentials of the old address, unless they are given with the new one', async () => {
    const credentials = { username: 'admin', password: 'for-the-old-address' };
    const { id } = await register({ credentials });
    const moved = await world.api.send<DeviceView>('PATCH', `/v1/devices/${id}`, { baseUrl: 'https://10.250.0.1' });
    expect(moved.body.credentials).toBeNull();
    const { body } = await world.api.send<DeviceView>('PATCH', `/v1/devices/${id}`, {
      baseUrl: 'https://10.250.0.2',
      credentials,
    });
    expect(body.credentials).toMatchObject({ username: 'admin' });
    const same = await world.api.send<DeviceView>('PATCH', `/v1/devices/${id}`, {
      baseUrl: 'https://10.250.0.2:443',
      site: 'x',
    });
    expect(same.body.credentials).toMatchObject({ username: 'admin' });
  });

  it('remembers in the audit whether a password changed, not which it is', async () => {
    const { id } = await register({ credentials: { username: 'admin', password: 'first-password' } });
    await world.api.send('PUT', `/v1/devices/${id}/credentials`, { username: 'admin', password: 'first-password' });
    const { items } = await world.api.get<{ items: { facts: Record<string, unknown> }[] }>(`/v1/audit?deviceId=${id}`);
    const [second, first] = items.map(({ facts }) => facts);
    expect(second?.['password']).toMatch(/^hmac:[0-9a-f]{16}$/);
    expect((first?.['credentials'] as { password: string } | undefined)?.password).toBe(second?.['password']);
  });

  it('accepts an offered key by naming it', async () => {
    const { id } = await register();
    const pin = `sha256/${Buffer.alloc(32, 5).toString('base64')}`;
    await db.query(`update device set state = 'trust_changed', offered_pin = $2 where id = $1`, [id, pin]);
    const { body } = await world.api.send('PUT', `/v1/devices/${id}/trust`, { mode: 'pin', pin });
    expect(body).toMatchObject({ trust: { mode: 'pin', pin, offeredPin: null }, state: 'new' });
  });
});

describe('replacing the hardware of a device', () => {
  const openJob = `
    insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
    values (gen_random_uuid(), $1, 'backup', 'queued', '{}', now() + interval '1 day', now() + interval '2 days', 'x', 'x', now())`;

  it('keeps what people said of it, and forgets credentials, trust and observations of the old one', async () => {
    const pin = `sha256/${Buffer.alloc(32, 7).toString('base64')}`;
    const kept = { name: 'Gate 7', site: 'oslo/1', tags: ['gate'], note: 'Behind the door' };
    const credentials = { username: 'admin', password: 'of-the-old-one' };
    const trust = { mode: 'pin', pin };
    const { id } = await register({ ...kept, serial: 'OLD-7', mac: '001e42aabb07', trust, credentials });
    await db.query(
      `update device set firmware = 'RUT_7.1', model = 'RUT241', state = 'online', seen_at = now() where id = $1`,
      [id],
    );
    await expect(world.api.send('POST', `/v1/devices/${id}/replace`, { serial: 'OLD-7' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    const { body } = await world.api.send<DeviceView>('POST', `/v1/devices/${id}/replace`, { serial: 'NEW-7' });
    expect(body).toMatchObject({
      ...kept,
      id,
      serial: 'NEW-7',
      mac: null,
      model: null,
      firmware: null,
      state: 'new',
      seenAt: null,
      formerSerials: ['OLD-7'],
      credentials: null,
      trust: { mode: 'pin', pin: null },
    });
    expect(await world.api.get('/v1/devices?q=old-7')).toMatchObject({ items: [{ id }] });
    const history = await world.api.get<{ items: object[] }>(`/v1/devices/${id}/history`);
    expect(history.items).toContainEqual(expect.objectContaining({ field: 'serial', before: 'OLD-7', after: 'NEW-7' }));
    expect(await auditOf(id)).toEqual(['device.register', 'device.replace']);
    await register({ serial: 'OLD-7', name: 'Repaired' }); // the old hardware may come back as another device
  });

  it('waits for its jobs, and changes nothing when it cannot', async () => {
    const { id } = await register({ serial: 'BUSY-1' });
    await register({ serial: 'TAKEN-1' });
    const replace = (serial: string, api = world.api) => api.send('POST', `/v1/devices/${id}/replace`, { serial });
    await expect(replace('TAKEN-1')).rejects.toMatchObject({ code: 'device_exists', problem: { field: 'serial' } });
    await db.query(openJob, [id]);
    await expect(replace('FRESH-1')).rejects.toMatchObject({ status: 409, code: 'device_in_use' });
    await expect(replace('FRESH-1', world.as('viewer'))).rejects.toMatchObject({ code: 'forbidden' });
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ serial: 'BUSY-1', formerSerials: [] });
  });
});

describe('removing a device', () => {
  it('takes its credentials with it and keeps its audit', async () => {
    const { id } = await register({ credentials: { username: 'a', password: 'b' } });
    expect((await world.api.send('DELETE', `/v1/devices/${id}`)).status).toBe(204);
    await expect(world.api.get(`/v1/devices/${id}`)).rejects.toMatchObject({ code: 'device_not_found' });
    expect((await db.query('select from device_account where device_id = $1', [id])).rowCount).toBe(0);
    expect(await auditOf(id)).toEqual(['device.register', 'device.remove']);
  });

  it('waits for its jobs', async () => {
    const { id } = await register();
    await db.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
       values (gen_random_uuid(), $1, 'backup', 'queued', '{}', now() + interval '1 day', now() + interval '2 days', 'x', 'x', now())`,
      [id],
    );
    await expect(world.api.send('DELETE', `/v1/devices/${id}`)).rejects.toMatchObject({
      status: 409,
      code: 'device_in_use',
    });
    expect(await world.api.get(`/v1/devices/${id}`)).toMatchObject({ id });
  });
});
