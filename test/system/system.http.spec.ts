import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { StorageSweeper } from '../../src/system/storage.js';
import { SystemService } from '../../src/system/system.service.js';
import { Processes } from '../../src/system/processes.sweeper.js';
import { AheadClock } from '../proxy/proxy-world.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';

interface System {
  readonly processes: readonly { host: string; role: string; alive: boolean; checks: Record<string, string> }[];
  readonly jobs: { due: number; oldestDueMs: number; running: number };
  readonly queue: string;
  readonly traffic: { perSecond: number; p99Ms: number | null };
  readonly lastBackup: { madeAt: string; bytes: number } | null;
  readonly storage: {
    items: readonly { name: string; kind: string; bytes: number; bytesPerDay: number | null }[];
    database: { bytes: number; bytesPerDay: number | null };
    disk: { freeBytes: number; bytesPerDay: number | null; fullAt: string | null };
  };
  readonly warnings: readonly { code: string; text: string }[];
}

let world: TestGateway;
let db: pg.Client;
const clock = new AheadClock();
/** What was measured of the tables is answered for a minute. */
const passAMinute = () => clock.pass(60_000);

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const read = () => world.api.get<System>('/v1/system');
const codes = async () => (await read()).warnings.map(({ code }) => code);
const eventsOf = async (type: string) =>
  (
    await db.query<{ data: object; device_id: string | null }>(
      'select data, device_id from event where type = $1 order by id',
      [type],
    )
  ).rows;

describe('GET /v1/system', () => {
  it('says how many requests it answers, how fast, and when the installation was backed up', async () => {
    expect(await read()).toMatchObject({ lastBackup: null });
    await db.query(`insert into installation_backup values (now() - interval '1 day', 5), (now(), 7)`);
    const { lastBackup, traffic } = await read();
    expect(lastBackup).toMatchObject({ bytes: 7 });
    expect(traffic.perSecond).toBeGreaterThan(0);
    expect(traffic.p99Ms).toBeGreaterThan(0);
  });

  it('shows what is largest, how fast it grows by what was measured before, and when the disk is full', async () => {
    const sweeper = world.gateway.app.get(StorageSweeper);
    await sweeper.sweep();
    await sweeper.sweep(); // not again within an hour
    const taken = await db.query(`select from storage_sample where name = 'database'`);
    expect(taken.rowCount).toBe(1);
    const young = (await read()).storage;
    expect(young.items[0]!.bytes).toBeGreaterThanOrEqual(young.items.at(-1)!.bytes);
    expect(young.items.map(({ bytesPerDay }) => bytesPerDay)).toEqual(young.items.map(() => null));
    expect(young.disk.fullAt).toBeNull();
    await db.query(`update storage_sample set taken_at = taken_at - interval '1 day', bytes = bytes / 2`);
    await db.query(`insert into storage_sample values ('artifacts', now() - interval '2 days', 0)`);
    await db.query(
      `insert into artifact (id, kind, name, sha256, bytes, created_at, created_by)
       select gen_random_uuid(), 'firmware', 'grown', repeat('a', 64), 20000000000, now(), 'test'`,
    );
    passAMinute();
    const { storage } = await read();
    expect(storage.database.bytesPerDay! / storage.database.bytes).toBeCloseTo(0.5, 1);
    expect(storage.items[0]).toMatchObject({ name: 'artifacts', kind: 'files', bytes: 20_000_000_000 });
    expect(storage.items[0]!.bytesPerDay! / 1e9).toBeCloseTo(10, 1);
    expect(storage.disk.freeBytes).toBeGreaterThan(0);
    const days = (Date.parse(storage.disk.fullAt!) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(storage.disk.freeBytes / storage.disk.bytesPerDay!, 0);
    await db.query(`delete from artifact where name = 'grown'`);
  });

  it('takes one connection of the pool at a time, and measures the tables once a minute', async () => {
    const { app } = world.gateway;
    const pool = app.get(DataSource);
    const query = pool.query.bind(pool);
    const answering = new AsyncLocalStorage<true>();
    const ask = () => answering.run(true, () => app.get(SystemService).read());
    let measured = 0;
    let running = 0;
    let most = 0;
    const spy = vi.spyOn(pool, 'query').mockImplementation(async (...asked: Parameters<typeof query>) => {
      if (!answering.getStore()) return query(...asked); // of a sweeper
      if (asked[0].includes('pg_total_relation_size')) measured++;
      most = Math.max(most, ++running);
      return query(...asked).finally(() => running--);
    });
    try {
      passAMinute();
      await ask();
      await ask();
      expect([most, measured]).toEqual([1, 1]);
      passAMinute();
      await Promise.all([ask(), ask(), ask()]);
      expect(measured).toBe(2);
    } finally {
      spy.mockRestore();
    }
  });

  it('lists the processes, and which of them died', async () => {
    await db.query(
      `insert into gateway_process (id, role, host, version, node, checks, sweepers, warnings, started_at, alive_at)
       values (gen_random_uuid(), 'worker', 'lost', '0', 'v1', '{}', '{"jobs":{"at":"2026-01-01T00:00:00.000Z","outcome":"done"}}',
               '{no_tls}', now() - interval '1 day', now() - interval '1 hour')`,
    );
    const { processes, jobs, queue } = await read();
    expect(processes).toMatchObject([
      { role: 'api', alive: true, checks: { process: 'ok', database: 'ok' } },
      { host: 'lost', role: 'worker', alive: false, sweepers: [{ name: 'jobs', outcome: 'done' }] },
    ]);
    expect(jobs).toEqual({ due: 0, oldestDueMs: 0, running: 0 });
    expect(queue).toBe(process.env['TEST_REDIS_URL'] ? 'redis' : 'postgres');
    await expect(world.as('viewer').get('/v1/system')).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('has the warnings of live processes and of the database, each with one event while it lasts', async () => {
    const processes = world.gateway.app.get(Processes);
    await processes.sweep();
    await processes.sweep();
    const warned = await codes();
    expect(warned).toEqual(expect.arrayContaining(['loopback_devices', 'no_worker', 'root_key_without_copy']));
    expect(warned).not.toContain('no_tls'); // of the process that died
    const events = await eventsOf('system.warning');
    expect(events.map(({ data }) => (data as { code: string }).code).sort()).toEqual(warned.toSorted());
    await db.query('insert into root_key_copy select distinct root_key_id, now() from data_key');
    await processes.sweep();
    expect(await codes()).toEqual(warned.filter((code) => code !== 'root_key_without_copy'));
  });
});

describe('GET /v1/system/settings', () => {
  it('lists the settings of the process to holders of system.read', async () => {
    const { items } = await world.api.get<{ items: { name: string; value: string | null }[] }>('/v1/system/settings');
    expect(items).toContainEqual(expect.objectContaining({ name: 'ROLE', value: 'api', source: 'set', hidden: false }));
    await expect(world.as('viewer').get('/v1/system/settings')).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('locks and approvals', () => {
  it('make events that name no device', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/locks', {
      kind: 'selector',
      target: 'name:secret-device',
      reason: 'secret-device',
    });
    await world.api.send('DELETE', `/v1/locks/${id}`);
    const events = [...(await eventsOf('lock.set')), ...(await eventsOf('lock.lifted'))];
    expect(events).toEqual([
      { data: { kind: 'selector', by: 'Ada' }, device_id: null },
      { data: { kind: 'selector' }, device_id: null },
    ]);
  });
});
