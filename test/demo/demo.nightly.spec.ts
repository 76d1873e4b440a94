import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDemo } from '../../src/demo/run.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/servers/free-port.js';

/* As in a container with a published port: PUBLIC_URL is an address at which this process reaches nothing. */

const SETUP_TOKEN = 'setup-token-of-this-test-run';

const startRouters = () => startFleet({ devices: 25, profile: 'rutos', seed: 7, timeScale: 200 });

let database: TestDatabase;
let dataDir: string;
let publicUrl: string;
let gateway: Gateway;
let fleet: Fleet;

beforeAll(async () => {
  database = await freshDatabase();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-demo-test-'));
  publicUrl = `http://127.0.0.1:${await freePort()}`;
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
    PUBLIC_URL: publicUrl,
    FLEETGATE_SETUP_TOKEN: SETUP_TOKEN,
    DEVICE_ALLOW_LOOPBACK: 'true',
    APPROVAL_DEVICES: '20',
  };
  gateway = await startGateway({ config: readConfig(settings) });
  fleet = await startRouters();
});
afterAll(async () => {
  await gateway?.close();
  await fleet?.close();
  await database?.drop();
  await rm(dataDir, { recursive: true, force: true });
});

it('works while nothing answers at PUBLIC_URL, which it only shows', async () => {
  const { report, access } = await runDemo({ gateway, fleet, dataDir, setupToken: SETUP_TOKEN });
  expect(report.broken).toEqual([]);
  expect(gateway.url).toBe(publicUrl);
  const answer = await fetch(`${gateway.listenerUrl}/v1/self`, { headers: { authorization: `Bearer ${access.key}` } });
  expect(answer.status).toBe(200);
});

it('starts again on the data of an earlier run, whose backups and restarts came due meanwhile', async () => {
  for (const plans of ['backup_policy', 'schedule'])
    await gateway.app.get(DataSource).query(`update ${plans} set next_run_at = now() - interval '1 minute'`);
  await fleet.close();
  fleet = await startRouters();
  const { report } = await runDemo({ gateway, fleet, dataDir, setupToken: SETUP_TOKEN });
  expect(report.broken).toEqual([]);
});
