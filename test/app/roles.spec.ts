import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { startGateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startFleet } from '../../src/simulator/fleet.js';
import { freshDatabase } from '../support/database.js';
import { nullWhenBusy, startTestGateway, type TestGateway } from '../support/gateway.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { until } from '../support/until.js';

/* What a process does and does not do, by its role and at its end. */

describe('a process that only runs jobs', () => {
  let api: TestGateway;
  let worker: Awaited<ReturnType<typeof startGateway>>;
  let tries = 0;

  beforeAll(async () => {
    api = await startTestGateway({ ROLE: 'api' });
    const env = {
      DATABASE_URL: api.databaseUrl,
      DATA_DIR: api.dataDir,
      ROLE: 'worker',
      PORT: '0',
      LOG_LEVEL: 'silent',
    };
    const redis = process.env['TEST_REDIS_URL'];
    const queue = redis ? { REDIS_URL: redis, REDIS_PREFIX: new URL(api.databaseUrl).pathname.slice(1) } : {};
    worker = await startGateway({
      config: readConfig({ ...env, ...queue, DEVICE_ALLOW_LOOPBACK: 'true', STATUS_EVERY_SECONDS: '0' }),
    });
  });
  afterAll(async () => {
    await worker.close();
    await api.close();
  });

  it('answers health and metrics, and nothing else', async () => {
    const status = async (address: string) =>
      (await fetch(worker.url + address, { headers: { authorization: `Bearer ${api.keys.administrator}` } })).status;
    expect(await status('/health/ready')).toBe(200);
    expect(await status('/metrics')).toBe(200);
    for (const other of ['/v1/devices', '/v1/setup', '/docs', '/openapi.json', '/healthy', '/d/x/api/login']) {
      expect([other, await status(other)]).toEqual([other, 404]);
    }
  });

  it('carries the job that the other process was asked for', async () => {
    // A name, an address and a serial of its own: a second try finds the device of the first.
    const number = ++tries;
    const fleet = await startOwnFleet({ devices: 1, firstNumber: number, profile: 'rutos', timeScale: 200 });
    try {
      const { baseUrl, username, password } = fleet.devices[0]!;
      await api.api.post('/v1/devices', { name: `d${number}`, baseUrl, credentials: { username, password } });
      const { id } = await api.api.post<{ id: string }>(`/v1/devices/name:d${number}/jobs`, { kind: 'backup' });
      const ended = await until(async () => {
        const job = await api.api.get<{ phase: string; outcome: string | null }>(`/v1/jobs/${id}`).catch(nullWhenBusy);
        return job?.phase === 'ended' && job;
      });
      expect(ended).toMatchObject({ outcome: 'succeeded' });
    } finally {
      await fleet.close();
    }
  });
});

describe('a stop', () => {
  it('waits for the write that is under way, and its outcome is in the audit', async () => {
    const fleet = await startFleet({ devices: 1, profile: 'rutos', timeScale: 1 });
    const world = await startTestGateway();
    const { baseUrl, username, password } = fleet.devices[0]!;
    await world.api.post('/v1/devices', { name: 'd', baseUrl, credentials: { username, password } });
    fleet.devices[0]!.faults.add({ kind: 'latency', path: '/api/wireguard/config', ms: 700 });
    const write = world.api.send('POST', '/v1/devices/name:d/api/wireguard/config', { data: { id: 'wg_a' } });
    await until(() => fleet.ledger.entries({ path: '/api/wireguard/config' }).length !== 0);
    const db = new pg.Client({ connectionString: world.databaseUrl });
    await db.connect();
    const stopped = world.gateway.close();
    expect(await write).toMatchObject({ status: 201 });
    await stopped;
    const { rows } = await db.query(
      `select outcome from audit_entry left join audit_outcome on entry_id = id where action = 'device.call_write'`,
    );
    expect(rows).toEqual([{ outcome: 'succeeded' }]);
    await db.end();
    await fleet.close();
  });
});

describe('a login that may not make roles', () => {
  it('is enough when an administrator has made and granted the role before', async () => {
    const database = await freshDatabase();
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    const name = `lowly_${Date.now()}`;
    const own = new URL(database.url);
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-test-'));
    await admin.query(`create role ${name} login password 'lowly-password'; grant fleetgate_app to ${name}`);
    await admin.query(`create database ${name} owner ${name}`);
    Object.assign(own, { username: name, password: 'lowly-password', pathname: `/${name}` });
    const env = {
      DATABASE_URL: own.toString(),
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      FLEETGATE_KEY: Buffer.alloc(32, 3).toString('base64'),
    };
    const gateway = await startGateway({ config: readConfig({ ...env, FLEETGATE_SETUP_TOKEN: 'x'.repeat(30) }) });
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
    await gateway.close();
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop owned by ${name}`);
    await admin.query(`drop role ${name}`);
    await rm(dataDir, { recursive: true, force: true });
    await admin.end();
    await database.drop();
  });
});
