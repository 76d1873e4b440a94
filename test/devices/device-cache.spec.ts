import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { DeviceCache } from '../../src/devices/registry/device-cache.js';
import { DevicesService } from '../../src/devices/registry/devices.service.js';
import { ObservationWriter } from '../../src/devices/registry/device-observations.js';
import { LoginCounts } from '../../src/devices/registry/login-counts.js';
import { SystemClock } from '../../src/platform/clock.js';
import { PgNotifications } from '../../src/database/pg-notifications.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

/* Devices are remembered until they change, whoever changes them; what calls teach is written for many at once. */

const COUNT = 60;

let world: TestGateway;
let db: DataSource;
let other: pg.Client;
let memory: DeviceCache;
let devices: DevicesService;
let ids: string[];

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' });
  const { app } = world.gateway;
  [db, memory, devices] = [app.get(DataSource), app.get(DeviceCache), app.get(DevicesService)];
  other = new pg.Client({ connectionString: world.databaseUrl });
  await other.connect();
  const lines = Array.from(
    { length: COUNT },
    (_, index) => `d-${index},https://10.0.0.${index + 1},admin,pw,S${index}`,
  );
  await fetch(`${world.url}/v1/devices/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.keys.administrator}`, 'content-type': 'text/csv' },
    body: ['name,base_url,username,password,serial', ...lines].join('\n'),
  });
  ids = (await db.query<{ id: string }[]>('select id from device order by serial')).map(({ id }) => id);
  await noticesArrived();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  await other.end();
  await world.close();
});

let registered = 0;

/** A device of a test's own, which it may remove or rename. */
async function register(): Promise<{ id: string; name: string }> {
  const name = `own-${++registered}`;
  const { id } = await world.api.post<{ id: string }>('/v1/devices', { name, baseUrl: `https://10.0.1.${registered}` });
  return { id, name };
}

/** Notices arrive in the order of their commits, so all before this one have arrived. */
async function noticesArrived(): Promise<void> {
  const notices = world.gateway.app.get(PgNotifications);
  const heard = new Promise<void>((resolve) => notices.on('arrived', () => resolve()));
  await notices.notify(db.manager, 'arrived', 'now');
  await heard;
}

/** The statements about devices from now on; sweepers ask for other things meanwhile. */
function statements(): () => number {
  const asked = vi.spyOn(db, 'query');
  return () => asked.mock.calls.filter(([sql]) => /(from|update) device\b/.test(sql)).length;
}

describe('a device in memory', () => {
  let known = 7;
  it('is there for all who ask after one statement, and many are read by one', async () => {
    memory.drop(null);
    const asked = statements();
    expect((await devices.getMany(ids)).size).toBe(COUNT);
    await Promise.all(ids.map((id) => devices.get(id)));
    const number = known++; // one that nobody has asked for by its serial yet
    expect((await devices.resolve(`serial:S${number}`)).name).toBe(`d-${number}`);
    await devices.resolve(`serial:S${number}`);
    expect(asked()).toBe(2);
  });

  it('is asked for once by all who want it at the same moment', async () => {
    memory.drop(null);
    const asked = statements();
    await Promise.all(Array.from({ length: 50 }, () => devices.get(ids[0]!)));
    expect(asked()).toBe(1);
  });

  let changes = 0;
  it.each([
    ['the device', 'update device set site = $2 where id = $1'],
    ['its account', 'update device_account set username = $2 where device_id = $1'],
  ])('is read anew when another process changed %s', async (_what, update) => {
    const before = await devices.get(ids[1]!);
    await other.query(update, [ids[1], `changed-${++changes}`]);
    await noticesArrived();
    expect(await devices.get(ids[1]!)).not.toEqual(before);
  });

  it('is read together with the others that are asked for at the same moment', async () => {
    memory.drop(null);
    const counted = statements();
    const targets = await Promise.all(ids.map((id) => devices.get(id)));
    expect(targets.map(({ device }) => device.id)).toEqual(ids);
    expect(counted()).toBe(1);
  });

  it('is gone when another process removed it, also by its name', async () => {
    const { id, name } = await register();
    expect((await devices.resolve(`name:${name}`)).id).toBe(id);
    await other.query('delete from device where id = $1', [id]);
    await noticesArrived();
    await expect(devices.resolve(`name:${name}`)).rejects.toMatchObject({ code: 'device_not_found' });
  });

  it('is another one under its name when the name was given on', async () => {
    const [first, second] = [await register(), await register()];
    expect((await devices.resolve(`name:${first.name}`)).id).toBe(first.id);
    const rename = 'update device set name = $2 where id = $1';
    await other.query(rename, [first.id, `retired ${first.name}`]);
    await other.query(rename, [second.id, first.name]);
    await noticesArrived();
    expect((await devices.resolve(`name:${first.name}`)).id).toBe(second.id);
  });

  it('stays when it was only seen, or is to be looked at', async () => {
    const before = await devices.get(ids[0]!);
    await other.query('update device set seen_at = now(), probe_at = now(), identify_at = now()');
    await noticesArrived();
    expect(memory.peek(ids[0]!)).toBe(before);
  });

  it('is used once and not kept when it changed while it was read', async () => {
    let tell: (id: string | null) => void = () => undefined;
    const rows = [{ id: 'a', mainId: null, readId: null }];
    const changing = { query: () => Promise.resolve(rows).then((read) => (tell('a'), read)) } as unknown as DataSource;
    const notices = { isListening: true, on: (_topic: string, hear: typeof tell) => ((tell = hear), () => undefined) };
    const watched = new DeviceCache(changing, new SystemClock(), notices);

    expect((await watched.find('a'))?.device.id).toBe('a');
    expect(watched.peek('a')).toBeUndefined();
  });

  it('is a second old at most while no notices arrive', async () => {
    const clock = new FakeClock();
    const deaf = new DeviceCache(db, clock, { isListening: false, on: () => () => undefined });
    const asked = statements();
    await deaf.find(ids[0]!);
    await deaf.find(ids[0]!);
    expect(asked()).toBe(1);
    clock.pass(1_000);
    await deaf.find(ids[0]!);
    expect(asked()).toBe(2);
  });
});

describe('the first logins of a fleet', () => {
  it('are counted by few statements, each account for itself', async () => {
    const counts = world.gateway.app.get(LoginCounts);
    const [stranger, ...logging] = [...(await devices.getMany(ids)).values()];
    const accounts = logging.map(({ device, account }) => ({ deviceId: device.id, account: account! }));
    const asked = vi.spyOn(db, 'query');
    const aboutAccounts = () => asked.mock.calls.filter(([sql]) => sql.includes('update device_account')).length;

    const reserved = await Promise.all(accounts.map(({ deviceId, account }) => counts.reserve(deviceId, account)));
    expect(reserved.every(Boolean)).toBe(true);
    expect(aboutAccounts()).toBe(1);
    await Promise.all(accounts.map(({ account }) => counts.granted(account)));
    expect(aboutAccounts()).toBe(2);

    await noticesArrived();
    expect(memory.peek(stranger!.device.id)).toBeDefined();
    expect(memory.peek(accounts[0]!.deviceId)).toBeUndefined();
    expect((await devices.get(accounts[0]!.deviceId)).account).toMatchObject({ proven: true, failedLogins: 0 });
  });

  it('leave out an account whose password was changed meanwhile', async () => {
    const counts = world.gateway.app.get(LoginCounts);
    const [one, two] = [await devices.get(ids[2]!), await devices.get(ids[3]!)];
    const old = { id: two.account!.id, changedAt: new Date(0) };
    const reserved = await Promise.all([counts.reserve(ids[2]!, one.account!), counts.reserve(ids[3]!, old)]);
    expect(reserved).toEqual([true, false]);
  });
});

describe('what calls teach', () => {
  it('is written for many devices by few statements, with its history', async () => {
    const known = ids.slice(10, 50);
    await devices.getMany(known);
    const asked = statements();
    await Promise.all(known.map((id) => devices.storeObservations(id, { state: 'online', firmware: 'RUT_7.14' })));
    expect(asked()).toBeLessThanOrEqual(2);

    expect((await devices.get(known[0]!)).device).toMatchObject({ state: 'online', firmware: 'RUT_7.14' });
    const history = await db.query<{ field: string; before: string | null; after: string }[]>(
      'select field, before, after from device_change where device_id = $1 order by field',
      [known[0]],
    );
    expect(history).toEqual([
      { field: 'firmware', before: null, after: 'RUT_7.14' },
      { field: 'state', before: 'new', after: 'online' },
    ]);
    await Promise.all(known.map((id) => devices.storeObservations(id, { state: 'online', firmware: 'RUT_7.14' })));
    expect(await db.query('select from device_change where device_id = $1', [known[0]])).toHaveLength(2);
  });

  it('leaves out what another device has, and keeps the rest of it and of all others', async () => {
    const [first, second] = [ids[50]!, ids[51]!];
    await Promise.all([
      devices.storeObservations(first, { serial: 'S52', model: 'RUTX50' }),
      devices.storeObservations(second, { model: 'RUT241', mac: 'no such address' }),
    ]);
    expect((await devices.get(first)).device).toMatchObject({ model: 'RUTX50' });
    expect((await devices.get(first)).device.serial).not.toBe('S52');
    expect((await devices.get(second)).device).toMatchObject({ model: 'RUT241', mac: null });
  });

  it('never moves back when a device was seen, and asks for no statement each time', async () => {
    const writes = new ObservationWriter(db, new SystemClock());
    const device = { id: ids[52]!, seenAt: null };
    const asked = statements();
    const noon = new Date('2030-01-01T12:00:00Z');
    for (let second = 0; second < 29; second++) writes.noteSeen(device, new Date(noon.getTime() + second * 1_000));
    await writes.drain();
    expect(asked()).toBe(1);
    const replica = new ObservationWriter(db, new SystemClock());
    replica.noteSeen(device, new Date(noon.getTime() - 60_000));
    await replica.drain();
    expect(await db.query('select seen_at from device where id = $1', [device.id])).toEqual([{ seen_at: noon }]);
  });

  it('waits in the end for a note that is being written', async () => {
    let write!: () => void;
    const held = new Promise<void>((resolve) => (write = resolve));
    const query: typeof db.query = (...asked) => held.then(() => db.query(...asked));
    const writes = new ObservationWriter({ query }, new SystemClock());
    const device = { id: ids[54]!, seenAt: null };
    const noon = new Date('2030-01-01T12:00:00Z');
    writes.noteSeen(device, noon);
    void writes.drain(); // as the timer begins it
    let isOver = false;
    const end = writes.drain().then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    write();
    await end;
    expect(await db.query('select seen_at from device where id = $1', [device.id])).toEqual([{ seen_at: noon }]);
  });

  it('notes with the next call that a device was seen, when it could not be written', async () => {
    let isAway = true;
    const query: typeof db.query = (...asked) =>
      isAway ? Promise.reject(new Error('The database is away')) : db.query(...asked);
    const writes = new ObservationWriter({ query }, new SystemClock());
    const device = { id: ids[53]!, seenAt: null };
    const noon = new Date('2030-01-01T12:00:00Z');
    writes.noteSeen(device, noon);
    await writes.drain();
    isAway = false;
    writes.noteSeen(device, noon);
    await writes.drain();
    expect(await db.query('select seen_at from device where id = $1', [device.id])).toEqual([{ seen_at: noon }]);
  });
});
