import { hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { type Page } from 'playwright-core';
import { pack } from 'tar-stream';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ArtifactStore } from '../../../src/artifacts/artifacts.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';

/* What each backup is, what a comparison begins with, and why a job failed or waits. */

let world: ConsoleWorld;
let db: pg.Client;
let page: Page;
let deviceId: string;
const backups: string[] = [];

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api', STATUS_EVERY_SECONDS: '0' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  const credentials = { username: 'admin', password: 'a password of a device' };
  const device = { name: 'pump-1', baseUrl: 'https://127.0.0.1:1', credentials };
  ({ id: deviceId } = await world.gateway.api.post<{ id: string }>('/v1/devices', device));
  await addBackup(3, 'a.example');
  await addBackup(2, 'b.example', 'rollout Autumn');
  await addBackup(1, 'b.example', 'Before the move');
});
afterAll(async () => {
  await db.end();
  await world.close();
});
afterEach(() => page.close());

interface JobRow {
  readonly phase?: string;
  readonly outcome?: string | null;
  readonly waitReason?: string;
  readonly failure?: string;
  readonly reason?: string;
  readonly hours?: number;
}

async function addJob({ phase = 'ended', outcome = null, waitReason, failure, reason, hours = 0 }: JobRow) {
  const { rows } = await db.query<{ id: string }>(
    `insert into job (id, device_id, kind, spec, phase, outcome, cursor, wake_at, deadline_at, wait_reason, failure, started_by,
                      started_by_name, reason, created_at, started_at, ended_at)
     values (gen_random_uuid(), $1, 'backup', '{}', $2, $3, '{"at": "download"}', now() + interval '1 hour', now() + interval '1 day', $4,
             case when $5::text is null then null else jsonb_build_object('code', 'device_unreachable', 'message', $5, 'facts', '{}'::jsonb) end,
             'key:1', 'Ada', $6, now() - make_interval(hours => $7), now() - make_interval(hours => $7),
             case when $2 = 'ended' then now() end)
     returning id`,
    [deviceId, phase, outcome, waitReason ?? null, failure ?? null, reason ?? null, hours],
  );
  return rows[0]!.id;
}

/** A backup that was opened, with one setting. @param hours ago */
async function addBackup(hours: number, hostname: string, reason?: string): Promise<void> {
  const tar = pack();
  tar.entry({ name: 'etc/config/ntpclient' }, `config ntpserver '1'\n\toption hostname '${hostname}'\n`);
  tar.finalize();
  const stored = world.gateway.gateway.app.get(ArtifactStore);
  const draft = await stored.write(Readable.from([gzipSync(await buffer(Readable.from(tar)))]), 1_000_000);
  await draft.keep();
  const jobId = await addJob({ outcome: 'succeeded', hours, ...(reason ? { reason } : {}) });
  const id = randomUUID();
  await db.query(
    `insert into artifact (id, sha256, bytes, kind, name, device_id, job_id, created_by, created_by_name, created_at)
     values ($1, $2, $3, 'backup', 'backup-1.tar.gz', $4, $5, 'key:1', 'Ada', now() - make_interval(hours => $6))`,
    [id, draft.sha256, draft.bytes, deviceId, jobId, hours],
  );
  await db.query(
    `insert into backup_content (artifact_id, looked_at, sha256, files) values ($1, now(), $2, '[]')
       on conflict (artifact_id) do update set sha256 = excluded.sha256`,
    [id, hash('sha256', hostname, 'hex')],
  );
  backups.unshift(id);
}

it('says of each backup why it was made and what changed since the one before', async () => {
  page = await world.open('/backups?tab=files&device=name:pump-1');
  const rows = page.getByRole('region', { name: 'Stored backups' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  await expect.poll(() => rows.nth(0).innerText()).toMatch(/No change\s+“Before the move”, by Ada/);
  await expect.poll(() => rows.nth(1).innerText()).toMatch(/1 setting changed\s+Rollout Autumn, by Ada/);
  await expect.poll(() => rows.nth(2).innerText()).toMatch(/The first that is known\s+By Ada/);
  await page.getByText(/^Why some have no change: .*always stored\.$/).waitFor();
});

it('compares the last two backups that differ first, and leads back to them', async () => {
  page = await world.open(`/backups?tab=compare&device=${deviceId}`);
  const [newest, middle, oldest] = backups;
  await expect.poll(() => page.getByLabel('Before').inputValue()).toBe(oldest);
  await expect.poll(() => page.getByLabel('After').inputValue()).toBe(middle);
  await page.getByText('b.example', { exact: true }).waitFor();
  await page.getByLabel('After').selectOption(newest!);
  await page.getByLabel('Before').selectOption(middle!);
  await page.getByText('Both have the same settings.').waitFor();
  await page.getByRole('button', { name: 'Show the last that differ' }).click();
  await page.getByText('The last that differ.').waitFor();
  await page.getByText('b.example', { exact: true }).waitFor();
});

it('begins a comparison with the devices that changed last', async () => {
  page = await world.open('/backups?tab=compare');
  const [, middle, oldest] = backups;
  const row = page.getByRole('region', { name: 'Devices that changed last' }).getByRole('row', { name: /pump-1/ });
  await row.getByRole('link', { name: '1 setting changed' }).click();
  await expect.poll(() => page.getByLabel('Before').inputValue()).toBe(oldest);
  await expect.poll(() => page.getByLabel('After').inputValue()).toBe(middle);
});

it('leads from one stored backup to its comparison, its contents and back onto its device', async () => {
  const [newest, middle] = backups;
  page = await world.open(`/artifacts?tab=files&kind=backup&artifact=${newest}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('link', { name: 'Compare' }).click();
  await expect.poll(() => page.getByLabel('Before').inputValue()).toBe(middle);
  await page.goBack();
  await dialog.getByRole('link', { name: 'Contents' }).click();
  await page.getByRole('heading', { name: /^Backup of pump-1, of/ }).waitFor();
  await dialog.getByRole('link', { name: 'Restore' }).click();
  await page.getByRole('heading', { name: 'Restore pump-1' }).waitFor();
  await dialog.getByText('This is its newest backup').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('restore'));
});

it('leads from no backup to where the first one is made', async () => {
  const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
    name: 'pump-2',
    baseUrl: 'https://127.0.0.1:2',
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  page = await world.open('/backups?tab=files&device=name:pump-2');
  await page.getByRole('heading', { name: 'This device has no backups' }).waitFor();
  await page.getByRole('link', { name: 'Back up devices' }).click();
  await expect.poll(() => page.getByRole('button', { name: /^Back up/ }).count()).toBeGreaterThan(0);
  await world.gateway.api.send('DELETE', `/v1/devices/${id}`);
});

it('says at which step a job failed, how its device is now and why, and starts it again', async () => {
  const id = await addJob({ outcome: 'failed', failure: 'The device did not answer', hours: 1 });
  await db.query(`update device set state = 'offline', seen_at = now() - interval '2 hours' where id = $1`, [deviceId]);
  page = await world.open(`/jobs/${id}`);
  await page.getByText(/^At the step “Fetches the file”, after 1 h\. The job tried, and could not connect/).waitFor();
  await page.locator('.notice .mark', { hasText: 'Offline' }).waitFor();
  const again = page.getByRole('button', { name: 'Start again' });
  await expect.poll(() => again.getAttribute('data-kind')).toBe('primary');
  await again.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'See why' }).click();
  await page.getByRole('heading', { name: 'It does not answer' }).waitFor();
});

it('says what a job waits for, with its last problem beside it', async () => {
  const id = await addJob({ phase: 'queued', waitReason: 'device_offline', failure: 'The device did not answer' });
  page = await world.open(`/jobs/${id}`);
  await page.getByText(/^Waits for: the device to answer/).waitFor();
  await page.getByText('The last try: The device did not answer. It tries again by itself.').waitFor();
  await expect.poll(() => page.getByText('The job has failed').count()).toBe(0);
  await db.query('delete from job where id = $1', [id]);
});

it('says that the first backups of devices without one are under way', async () => {
  const { api } = world.gateway;
  const { id } = await api.post<{ id: string }>('/v1/devices', {
    name: 'pump-3',
    baseUrl: 'https://127.0.0.1:3',
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  page = await world.open('/backups');
  await page.getByRole('button', { name: 'Back up 1 device without a backup' }).click();
  await page.waitForURL(/\/rollouts\//);
  // No worker runs here: it would start it within seconds.
  await db.query(
    `update rollout set state = 'running', started_at = now() where name = 'Backup of devices without one'`,
  );
  await page.goto(`${world.gateway.url}/console/backups`);
  await page.getByText('Their first backups are under way: 0 of 1 device so far.').waitFor();
  expect(await page.getByRole('button', { name: /^Back up \d+ devices? without/ }).count()).toBe(0);
  await page.getByRole('link', { name: 'Open the rollout' }).click();
  await page.getByRole('heading', { name: 'Backup of devices without one' }).waitFor();
  await db.query(`update rollout set state = 'aborted', ended_at = now() where name = 'Backup of devices without one'`);
  await api.send('DELETE', `/v1/devices/${id}`);
});

it('keeps the name of a removed device, and compares its backups', async () => {
  for (const { id } of (await db.query<{ id: string }>(`select id from job where phase <> 'ended'`)).rows)
    await db.query(`update job set phase = 'ended', outcome = 'cancelled', ended_at = now() where id = $1`, [id]);
  await world.gateway.api.send('DELETE', `/v1/devices/${deviceId}`);
  page = await world.open('/backups?tab=files');
  const rows = page.getByRole('region', { name: 'Stored backups' }).locator('tbody tr');
  await expect.poll(() => rows.nth(0).innerText()).toMatch(/^pump-1 removed/);
  await rows
    .nth(0)
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Contents' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Restore' }).count()).toBe(0);
  await page.getByRole('menuitem', { name: 'Compare' }).click();
  await page.getByText('This device was removed; its backups are kept').waitFor();
  await page.getByRole('option', { name: 'pump-1 (removed)' }).waitFor({ state: 'attached' });
  await expect.poll(() => page.getByLabel('Before').inputValue()).toBe(backups[1]);
  await page.getByRole('button', { name: 'Swap the sides' }).click();
  await expect.poll(() => page.getByLabel('Before').inputValue()).toBe(backups[0]);
  expect(await page.getByRole('button', { name: 'Compare with the device now' }).count()).toBe(0);
  await page.goto(`${world.gateway.url}/console/backups?tab=files`);
  await page
    .getByRole('link', { name: /^pump-1 removed/ })
    .first()
    .click();
  await page.getByText('Removed a device').first().waitFor();
});

it('says of the address of a removed device that it was removed, and leads to what is kept', async () => {
  page = await world.open(`/devices/${deviceId}`);
  await page.getByRole('heading', { name: 'pump-1' }).waitFor();
  await page.getByRole('heading', { name: 'This device was removed' }).waitFor();
  expect(await page.getByRole('link', { name: 'What was done on it' }).getAttribute('href')).toContain(deviceId);
  await page.getByRole('link', { name: 'Its backups' }).click();
  const rows = page.getByRole('region', { name: 'Stored backups' }).locator('tbody tr');
  await expect.poll(() => rows.nth(0).innerText()).toMatch(/^pump-1 removed/);
  await page.goto(`${world.gateway.url}/console/devices/no-such-name`);
  await page.getByRole('heading', { name: 'There is no such device' }).waitFor();
});
