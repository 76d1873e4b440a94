import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DataSource } from 'typeorm';
import { ApiClient, type components } from '../api-client/api-client.js';
import { randomText } from '../auth/rights/key-format.js';
import { type Gateway } from '../gateway.js';
import { type Fleet } from '../simulator/fleet.js';
import { TemplateStateSweeper } from '../templates/states/template-state.sweeper.js';
import { Demo, type DemoReport } from './demo.js';
import { ExampleData } from './example-data.js';

/*
 * The demo against a gateway and a fleet that are up. It calls the listener of its gateway, never PUBLIC_URL: behind a
 * published port of a container, or a proxy, that address answers operators and not this process.
 */

export const OPERATOR = 'Demo';

export interface DemoScene {
  readonly gateway: Gateway;
  readonly fleet: Fleet;
  /** Holds the key and the password of the demo's administrator between runs. */
  readonly dataDir: string;
  readonly setupToken: string;
}

export interface DemoAccess {
  readonly key: string;
  readonly keyFile: string;
  readonly password: string;
}

/** The main task, then what the console has to show beside it. */
export async function runDemo({ gateway, fleet, dataDir, setupToken }: DemoScene): Promise<{
  readonly report: DemoReport;
  readonly access: DemoAccess;
}> {
  const url = gateway.listenerUrl;
  const access = await demoAccess(url, dataDir, setupToken);
  const api = new ApiClient({ url, key: access.key });
  const db = gateway.app.get(DataSource);
  await endEarlierRun(api, db);
  const main = await new Demo(api, fleet).run();
  // By itself, the first comparison is up to 20 seconds away.
  const compare = () => gateway.app.get(TemplateStateSweeper).sweep();
  const examples = await new ExampleData(api, db, fleet, url, compare).make(main.ids);
  const report = { lines: [...main.lines, ...examples.lines], broken: [...main.broken, ...examples.broken] };
  return { report, access };
}

/** The demo's administrator: created on the first run, and stored in the data folder for the next ones. */
async function demoAccess(url: string, dataDir: string, token: string): Promise<DemoAccess> {
  const keyFile = path.join(dataDir, 'demo.key');
  const passwordFile = path.join(dataDir, 'demo.password');
  const known = await readFile(keyFile, 'utf8').catch(() => null);
  const knownPassword = await readFile(passwordFile, 'utf8').catch(() => null);
  if (known && knownPassword) {
    const works = await new ApiClient({ url, key: known.trim() }).get('/v1/self').then(
      () => true,
      () => false,
    );
    if (works) return { key: known.trim(), keyFile, password: knownPassword.trim() };
  }
  const password = randomText(16);
  const body = { token, operatorName: OPERATOR, password };
  const { apiKey } = await new ApiClient({ url }).post('/v1/setup', { body });
  await mkdir(dataDir, { recursive: true });
  await writeFile(keyFile, `${apiKey.key}\n`, { mode: 0o600 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  return { key: apiKey.key, keyFile, password };
}

type State = components['schemas']['Rollout']['state'];

const OPEN: readonly State[] = ['draft', 'awaiting_approval', 'scheduled', 'running', 'paused'];

/**
 * Ends the work of an earlier run of the demo, and its locks, which would keep writes from devices. What was due meanwhile would
 * start jobs on routers that are about to be removed, so it comes later. Its routers are gone, so
 * its rollouts are aborted, and its open jobs could only wait for their deadlines: they end here as unknown. A worker that
 * has one loses it, since the epoch is another.
 */
async function endEarlierRun(api: ApiClient, db: DataSource): Promise<void> {
  for (const plans of ['backup_policy', 'schedule'])
    await db.query(
      `update ${plans} set next_run_at = now() + interval '1 hour' where next_run_at < now() + interval '1 hour'`,
    );
  for (const state of OPEN) {
    const { items } = await api.get('/v1/rollouts', { params: { query: { state } } });
    for (const { id } of items)
      await api.post('/v1/rollouts/{rolloutId}/abort', { params: { path: { rolloutId: id } } });
  }
  const { items: locks } = await api.get('/v1/locks');
  for (const { id } of locks) await api.delete('/v1/locks/{lockId}', { params: { path: { lockId: id } } });
  await db.query(`
    update job set phase = 'ended', outcome = 'unknown', ended_at = now(), lease_until = null, owner = null, epoch = epoch + 1,
                   failure = '{"code": "job_interrupted", "message": "The demo ended, and its routers with it", "facts": {}}'
     where phase <> 'ended'
  `);
}
