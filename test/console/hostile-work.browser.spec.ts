import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArtifactStore } from '../../src/artifacts/artifacts.js';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { goTo } from '../support/console/in-page.js';
import { harmOf, HOSTILE, MARKUP } from '../support/console/hostile.js';

/* Texts of devices in jobs, rollouts, backups and files are data on every screen, whatever they hold. */

let world: ConsoleWorld;
let db: pg.Client;
let deviceId: string;
let rolloutId: string;
const jobIds: string[] = [];
const backupIds: string[] = [];

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  const credentials = { username: 'admin', password: 'a password of a device' };
  const device = { name: 'pump-1', baseUrl: 'https://127.0.0.1:1', credentials };
  ({ id: deviceId } = await world.gateway.api.post<{ id: string }>('/v1/devices', device));
  const rollout = { name: 'hostile', kind: 'backup', selector: 'all' };
  ({ id: rolloutId } = await world.gateway.api.post<{ id: string }>('/v1/rollouts', rollout));
  await world.gateway.api.post('/v1/schedules', {
    name: MARKUP.slice(0, 80),
    rhythm: { cron: '30 2 * * *' },
    rollout: { ...rollout, name: MARKUP.slice(0, 80) },
  });
  for (const [at, text] of HOSTILE.entries()) {
    jobIds.push(await addJob(text));
    await addTarget(at, text);
    await addBackup(text, at);
  }
  await db.query(
    `update rollout set name = $2, state = 'paused', pause_cause = 'wave_failed', started_at = now() where id = $1`,
    [rolloutId, MARKUP],
  );
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** A job that ended as unknown, with a text wherever a device has a say. */
async function addJob(text: string): Promise<string> {
  const said = JSON.stringify({ [text.slice(0, 60)]: text, list: [text] });
  const { rows } = await db.query<{ id: string }>(
    `insert into job (id, device_id, kind, spec, phase, outcome, cursor, wake_at, deadline_at, result, failure, started_by,
                      started_by_name, reason, created_at, started_at, ended_at)
     values (gen_random_uuid(), $1, 'firmware', $2, 'ended', 'unknown', '{"step": "flash"}', now(), now(), $2,
             jsonb_build_object('code', 'never_came_back', 'message', $3::text, 'facts', $2::jsonb), 'key:1', $3, $3,
             now(), now(), now()) returning id`,
    [deviceId, said, text],
  );
  const { id } = rows[0]!;
  await db.query(
    `insert into job_log_line (job_id, ordinal, at, step, text, facts)
     select $1, n, now(), 'flash', $2, $3 from generate_series(1, 3) as n`,
    [id, text, said],
  );
  return id;
}

async function addTarget(at: number, text: string): Promise<void> {
  await db.query(
    `insert into rollout_target (rollout_id, device_id, device_name, wave, position, state, reason, wake_at, changed_at, ended_at)
     values ($1, gen_random_uuid(), $2, 0, $3, 'failed', $2, now(), now(), now())`,
    [rolloutId, text, at + 10],
  );
}

/** A backup with a hostile name, a file with one, and hostile settings; and an image whose version is hostile. */
async function addBackup(text: string, at: number): Promise<void> {
  const tar = pack();
  tar.entry({ name: 'etc/config/system' }, `config system\n\toption hostname '${text}'\n`);
  tar.entry({ name: `etc/${text.replaceAll('/', '').slice(0, 90)}` }, text);
  tar.finalize();
  const draft = await world.gateway.gateway.app
    .get(ArtifactStore)
    .write(Readable.from([gzipSync(await buffer(Readable.from(tar)))]), 1_000_000);
  await draft.keep();
  const id = randomUUID();
  for (const [artifactId, kind] of [
    [id, 'backup'],
    [randomUUID(), 'firmware'],
  ])
    await db.query(
      `insert into artifact (id, sha256, bytes, kind, name, version, models, hardware, signed_by, signature, device_id, created_by_name, created_at)
       values ($1, $2, $3, $4, $5, $5, array[$5], array[$5], $5, 'c2ln', $6, $5, now() + make_interval(secs => $7))`,
      [artifactId, draft.sha256, draft.bytes, kind, text, deviceId, at],
    );
  backupIds.push(id);
}

it('shows hostile texts of jobs, rollouts, backups and files as what they are', async () => {
  const [first, second] = backupIds;
  const screens = [
    '/',
    '/jobs',
    ...jobIds.map((id) => `/jobs/${id}`),
    '/rollouts',
    `/rollouts/${rolloutId}`,
    '/rollouts/new?kind=firmware&selector=all',
    '/schedules',
    '/schedules?tab=calendar',
    '/backups?tab=files',
    ...backupIds.map((id) => `/backups?tab=files&contents=${id}`),
    `/backups?tab=compare&device=${deviceId}&a=${first}&b=${second}`,
    '/artifacts?kind=any',
    ...backupIds.map((id) => `/artifacts?kind=any&artifact=${id}`),
    ...['overview', 'jobs', 'backups', 'audit'].map((tab) => `/devices/${deviceId}?tab=${tab}`),
    ...['locks', 'keys', 'approvals'].map((tab) => `/access?tab=${tab}`),
    '/audit',
    '/certificates',
    '/fan-outs',
    '/system',
  ];
  const harm: string[] = [];
  const page = await world.open('/');
  for (const path of screens) {
    await goTo(page, path);
    harm.push(...(await harmOf(page, path)));
  }
  await page.close();
  expectNone('B9', `harm on ${screens.length} screens of work × 2 widths`, harm);
});

it('shows the settings and the evidence of a device as text', async () => {
  const job = await world.open(`/jobs/${jobIds[0]}`);
  await job.getByRole('heading', { name: 'Evidence' }).waitFor();
  await expect.poll(() => job.getByText(MARKUP).count()).toBeGreaterThan(5);
  await job.close();
  const backup = await world.open(`/backups?tab=files&contents=${backupIds[0]}`);
  await backup.getByText('etc/config/system').click();
  await backup.getByText(`option hostname '${MARKUP}'`).waitFor();
  await backup.close();
});
