import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADVISORY_LOCK } from '../../src/database/advisory-locks.js';
import { backUp } from '../../src/installation/backup.js';
import { ProgressLine } from '../../src/installation/progress.js';
import { restore } from '../../src/installation/restore.js';
import { SampleStore } from '../../src/monitoring/samples/sample-store.js';
import { type SampleValues } from '../../src/monitoring/samples/sample-values.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { readConfig } from '../../src/platform/config.js';
import { copyOf, type TestDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { startBeside, startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { type TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';

interface History {
  readonly stepSeconds: number;
  readonly points: readonly {
    readonly at: string;
    readonly min: number;
    readonly mean: number;
    readonly max: number;
  }[];
}

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 10, 27);

let world: TestGateway;
let db: DataSource;
let deviceId: string;
const clock = new FakeClock(BEGIN);

const rows = async () =>
  (await db.query<[{ count: number }]>('select count(*)::int as count from device_sample_history'))[0].count;

/** Stores a sample of the present moment. */
const add = (values: Partial<SampleValues>, store = world.gateway.app.get(SampleStore), id = deviceId) =>
  store.add({
    deviceId: id,
    sampledAt: clock.now(),
    paths: ['/api/modems/status'],
    bytes: 7_000,
    month: `${clock.now().toISOString().slice(0, 7)}-01`,
    spentBytes: 7_000,
    intervalSeconds: 240,
    process: randomUUID(),
    values: { modems: [], interfaces: [], extra: {}, ...values } as unknown as SampleValues,
  });

const history = (query: Readonly<Record<string, string>>, api: TestApi = world.api) =>
  api.get<History>(`/v1/devices/${deviceId}/sample/history?${new URLSearchParams(query).toString()}`);

const lastHour = () => ({
  from: new Date(clock.now().getTime() - 3_600_000).toISOString(),
  to: new Date(clock.now().getTime() + 1_000).toISOString(),
});

/** Until old days are gone: one process empties at a time, and the gateway's own pass may be it. */
const emptiedTo = (count: number, gateway = world.gateway) =>
  until(async () => {
    await gateway.app.get(SamplingPlanSweeper).sweep();
    return (await rows()) === count;
  });

beforeAll(async () => {
  // Some noon in the future, so that no pass of the gateway itself is of another day.
  clock.pass(DAY_MS * 10 + DAY_MS / 2);
  world = await startTestGateway({ ROLE: 'api' }, clock);
  db = world.gateway.app.get(DataSource);
  deviceId = (await world.api.post<{ id: string }>('/v1/devices', { name: 'r-0', baseUrl: 'https://192.0.2.1' })).id;
});
afterAll(() => world.close());

describe('the history of a value', () => {
  it('has each sample once, and no point for a gap or a value that is none', async () => {
    const values = [-90, -100, null, -80];
    for (const rsrp of values) {
      await add({ rsrp, sinr: null });
      clock.pass(60_000);
    }
    clock.pass(1_200_000);
    await add({ rsrp: -70 });
    expect(await rows()).toBe(5);
    const { points } = await history({ metric: 'rsrp', ...lastHour(), points: '600' });
    expect(points.map(({ mean }) => mean)).toEqual([-90, -100, -80, -70]);
    expect((await history({ metric: 'sinr', ...lastHour() })).points).toEqual([]);
    const one = await history({ metric: 'rsrp', ...lastHour(), points: '1' });
    expect(one.points).toEqual([expect.objectContaining({ min: -100, mean: -85, max: -70 })]);
  });

  it('has at most 600 points', async () => {
    const from = new Date(clock.now().getTime() - 7_300_000);
    await db.query(
      `insert into device_sample_history (ring, device_id, at, temperature)
       select floor(extract(epoch from $2::timestamptz) / 86400)::bigint % 32, $1, $2::timestamptz + n * interval '1 second', n
         from generate_series(0, 7299) n`,
      [deviceId, from],
    );
    const query = { metric: 'temperature', from: from.toISOString(), to: clock.now().toISOString(), points: '600' };
    const { points, stepSeconds } = await history(query);
    expect(stepSeconds).toBe(13);
    expect(points).toHaveLength(562);
    expect(points[0]).toEqual({ at: from.toISOString(), min: 0, mean: 6, max: 12 });
    await expect(history({ ...query, points: '601' })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('refuses a time that is none or longer than any history, and a value that it has not', async () => {
    const { from, to } = lastHour();
    for (const query of [
      { metric: 'rsrp', from: to, to: from },
      { metric: 'rsrp', from: new Date(clock.now().getTime() - 40 * DAY_MS).toISOString() },
      { metric: 'operator' },
    ])
      await expect(history(query)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('is for readers of the device who may read the path of the value', async () => {
    const deny = { effect: 'deny', permissions: ['device.call_read'], devices: { api: { '/modems/*': ['read'] } } };
    await world.api.send('PUT', '/v1/roles/no-modems', { rules: [{ effect: 'allow', permissions: ['*'] }, deny] });
    const elsewhere = [{ effect: 'allow', permissions: ['*'], selector: 'site:elsewhere' }];
    await world.api.send('PUT', '/v1/roles/elsewhere', { rules: elsewhere });
    const noModems = (await addPerson(world, 'Ines', [{ role: 'no-modems' }])).api;
    const stranger = (await addPerson(world, 'Bea', [{ role: 'elsewhere' }])).api;
    const auditor = (await addPerson(world, 'Cleo', [{ role: 'auditor' }])).api;
    await expect(history({ metric: 'rsrp' }, noModems)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(history({ metric: 'uptimeSeconds' }, noModems)).resolves.toMatchObject({ points: [] });
    await expect(history({ metric: 'rsrp' }, auditor)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(history({ metric: 'rsrp' }, stranger)).rejects.toMatchObject({ code: 'device_not_found' });
  });
});

describe('a day of the history', () => {
  it('is emptied without a row deleted, which the application may not do', async () => {
    await add({ rsrp: -60 });
    clock.pass(7 * DAY_MS);
    await add({ rsrp: -61 });
    await world.gateway.app.get(SamplingPlanSweeper).sweep();
    expect(await rows()).toBeGreaterThan(1);
    clock.pass(DAY_MS);
    await emptiedTo(1);
    const [{ bytes }] = await db.query<[{ bytes: number }]>(
      `select sum(pg_relation_size(inhrelid))::int as bytes from pg_inherits
        where inhparent = 'device_sample_history'::regclass`,
    );
    expect(bytes).toBe(8_192); // a page with the row that stays: deleted rows would have theirs, too
    await expect(db.query('delete from device_sample_history')).rejects.toThrow('permission denied');
  });

  it('gets nothing before the day that had its partition is gone', async () => {
    const [dayBefore] = await db.query<[{ at: Date }]>('select at from device_sample_history');
    const before = await db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK.samplingPlan]); // nobody empties meanwhile
      clock.pass(dayBefore.at.getTime() + 32 * DAY_MS - clock.now().getTime());
      await add({ rsrp: -50 });
      return db.query<{ at: Date }[]>('select at from device_sample_history');
    });
    expect(before).toEqual([dayBefore]);
    await emptiedTo(0);
    await add({ rsrp: -51 });
    expect(await rows()).toBe(1);
    expect((await history({ metric: 'rsrp', ...lastHour() })).points).toEqual([expect.objectContaining({ max: -51 })]);
  });
});

describe('MONITORING_KEEP_DAYS', () => {
  it('0 writes nothing and empties what there is', async () => {
    expect(await rows()).toBe(1);
    const other = await startBeside({ ...world.env, MONITORING_KEEP_DAYS: '0' }, clock);
    try {
      await emptiedTo(0, other);
      await add({ rsrp: -40 }, other.app.get(SampleStore));
      expect(await rows()).toBe(0);
      expect(await world.api.get(`/v1/devices/${deviceId}/sample`)).toMatchObject({ sample: { rsrp: -40 } });
    } finally {
      await other.close();
    }
  });
});

describe('a backup of the installation', () => {
  let folder: string;
  let target: TestDatabase | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-history-'));
  });
  afterAll(async () => {
    await target?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has the latest values and no history', async () => {
    await add({ rsrp: -33 });
    expect(await rows()).toBeGreaterThan(0);
    const [file, rootKeyFile] = [path.join(folder, 'a.tar.gz'), path.join(folder, 'root.key')];
    const progress = new ProgressLine({ write: () => true });
    await backUp({ config: readConfig(world.env), file, rootKeyFile, progress });
    target = await copyOf('template1');
    const config = readConfig({ DATA_DIR: path.join(folder, 'restored'), DATABASE_URL: target.url });
    await restore({ config, file, rootKeyFile, progress });
    const client = new Client({ connectionString: target.url });
    await client.connect();
    try {
      const { rows: found } = await client.query(
        'select (select rsrp from device_sample) as rsrp, (select count(*)::int from device_sample_history) as history',
      );
      expect(found).toEqual([{ rsrp: -33, history: 0 }]);
    } finally {
      await client.end();
    }
  });
});

/** Postgres 18.4 died of it: see `KEEP`. */
describe('samples of many devices', () => {
  let ids: readonly string[];
  let other: Client;

  beforeAll(async () => {
    const made = await db.query<{ id: string }[]>(
      `insert into device (id, name, base_url, created_at, updated_at)
       select gen_random_uuid(), 'many-' || n, 'https://10.1.' || n / 250 || '.' || n % 250 + 1, $1, $1 from generate_series(1, 500) n
       returning id`,
      [clock.now()],
    );
    ids = made.map(({ id }) => id);
    await world.api.post('/v1/monitoring/policies', { name: 'all', selector: 'all', everySeconds: 240 });
    await world.gateway.app.get(SamplingPlanSweeper).sweep();
    other = new Client({ connectionString: world.databaseUrl });
    await other.connect();
  });
  afterAll(() => other.end());

  /** Adds a sample of each while another connection has changed the rows, and commits once the samples wait for it. */
  async function addBeside(change: string): Promise<void> {
    await other.query('begin');
    await other.query(change);
    const added = Promise.all(ids.map((id) => add({ rsrp: -90, uptimeSeconds: 5_000 }, undefined, id)));
    const pid = 'select pg_backend_pid() as pid';
    const [backend] = (await other.query<{ pid: number }>(pid)).rows;
    const waiting = 'select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))';
    await until(async () => (await other.query(waiting, [backend!.pid])).rowCount === 1);
    await other.query('commit');
    await added;
    clock.pass(240_000);
  }

  it('are stored where others change the devices or their plans at the same moment, and Postgres goes on', async () => {
    const before = await rows();
    await addBeside(`update monitored_device set due_at = due_at + interval '1 second'`);
    await addBeside('update device set note = note');
    await addBeside('update device set note = note');
    expect(await rows()).toBe(before + 3 * ids.length);
  });
});
