import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { addWithPassword } from '../../support/people.js';

/* What a person sees first of the screens of work and access: while they are read, when they are empty, and what to do next. */

let world: ConsoleWorld;
let db: pg.Client;
let page: Page;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api', STATUS_EVERY_SECONDS: '0', APPROVAL_DEVICES: '1' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await world.close();
});
afterEach(() => page.close());

/** Holds the answers of an address back until it is called. */
async function hold(pattern: string): Promise<() => void> {
  let release!: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await held;
    await route.continue().catch(() => undefined); // the page may have gone on
  });
  return release;
}

it('says what to do where nothing is planned, and has the days of the calendar while it is read', async () => {
  page = await world.open('/schedules?tab=calendar');
  await page.getByRole('heading', { name: 'Nothing is planned' }).waitFor();

  await world.gateway.api.post('/v1/schedules', {
    name: 'Nightly restart',
    rhythm: { cron: '30 2 * * *', timeZone: 'UTC' },
    rollout: { name: 'Restart', kind: 'reboot', selector: 'tag:pump', spec: {} },
  });
  const release = await hold('**/v1/schedules?*');
  await page.reload();
  const days = page.getByRole('main').locator('ol[aria-busy=true] > li');
  await days.first().waitFor();
  await expect.poll(() => days.count()).toBe(35);
  await page.getByText('Not all of it is read yet.').waitFor();
  await expect.poll(() => days.locator(':scope > .awaited').count()).toBe(35);
  const before = await page.getByRole('main').locator('ol').boundingBox();
  release();
  await page.getByRole('link', { name: 'Nightly restart' }).first().waitFor();
  const after = await page.getByRole('main').locator('ol').boundingBox();
  expect(after).toEqual(before);

  await page.getByLabel('Shown').selectOption('week');
  await page.getByRole('button', { name: 'After' }).click();
  await page.getByText('Every day at 02:30').first().waitFor();
  await expect.poll(() => page.getByRole('main').locator('ol > li').count()).toBe(7);
});

it('opens a schedule over the calendar and over the list, and says when a chosen time runs next', async () => {
  page = await world.open('/schedules?tab=calendar&view=week');
  await page.getByRole('button', { name: 'After' }).click();
  await page.getByRole('link', { name: 'Nightly restart' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Nightly restart' });
  await dialog.getByText('Every day at 02:30 UTC').waitFor();
  const coming = dialog.locator('section', { has: page.getByRole('heading', { name: 'Next runs' }) });
  await expect.poll(() => coming.getByRole('listitem').count()).toBe(5);
  await dialog.getByText('None yet.').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => url.search.includes('view=week') && !url.search.includes('schedule='));

  await page.goto(`${world.gateway.url}/console/schedules`);
  await page.getByRole('link', { name: 'Nightly restart', exact: true }).click();
  await dialog.getByRole('button', { name: 'Actions for Nightly restart' }).click();
  await page.getByRole('menuitem', { name: 'Pause' }).click();
  await dialog.locator('.mark', { hasText: 'Paused' }).waitFor();
  await dialog.getByText('None: it does not run now.').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page
    .getByRole('status')
    .getByText(/^Next: .* 02:30.* · .* 02:30.* · /)
    .waitFor();
  await page.getByLabel('When').selectOption('Each week on');
  await page.getByLabel('Weekday').selectOption('Friday');
  await page.getByLabel('Time', { exact: true }).fill('18:00');
  await page
    .getByRole('status')
    .getByText(/^Next: Fri .* 18:00/)
    .waitFor();
  await page.getByLabel('When').selectOption('By cron …');
  expect(await page.getByLabel('Cron').inputValue()).toBe('0 18 * * 5');
  await page.getByLabel('Cron').fill('61 * * * *');
  await page
    .getByRole('status')
    .getByText(/^Next: /)
    .waitFor({ state: 'detached' });
  await page.getByLabel('Cron').fill('0 5 * * 1');
  await page
    .getByRole('status')
    .getByText(/^Next: Mon/)
    .waitFor();
});

it('has the shape of a list while it is read', async () => {
  page = await world.open('/schedules');
  const release = await hold('**/v1/jobs*');
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Jobs' }).click();
  const awaited = page.getByRole('main').getByRole('status').filter({ hasText: 'Loading' });
  await awaited.getByText('Started by').waitFor();
  await expect.poll(() => awaited.locator('.awaited').count()).toBeGreaterThan(10);
  release();
  await awaited.waitFor({ state: 'detached' });
});

it('lists backup policies with the schedules, with a link, and names the time zone of the reader', async () => {
  await world.gateway.api.post('/v1/backups/policies', {
    name: 'each night',
    selector: 'all',
    rhythm: { cron: '15 1 * * *', timeZone: 'Europe/Vilnius' },
  });
  page = await world.open('/schedules');
  await page
    .getByRole('region', { name: 'What runs by itself' })
    .getByRole('row', { name: /each night/ })
    .waitFor();
  await page
    .getByText(/:\d\d your time/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'Calendar', exact: true }).click();
  await page.getByText('What is planned in Europe/Vilnius is turned into it').waitFor();
  await page.getByRole('link', { name: 'each night' }).first().click();
  await page.waitForURL(/\/backups\?tab=policies&policy=/);
  await page.getByRole('dialog', { name: 'Change each night' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('row', { name: /each night/ }).waitFor();
  await expect.poll(() => page.getByRole('row', { name: /each night/ }).count()).toBe(1);
});

it('changes a backup policy and a schedule, of which the rest stays', async () => {
  const { api } = world.gateway;
  const rhythm = { everySeconds: 21_600 };
  const policy = await api.post<{ id: string }>('/v1/backups/policies', { name: 'by hours', selector: 'all', rhythm });
  const rollout = {
    name: 'Restart',
    kind: 'reboot',
    selector: 'tag:kiosk',
    policy: { stop: { percent: 20, minimum: 5 } },
  };
  const weekly = { cron: '0 5 * * 1', timeZone: 'Europe/Vilnius' };
  const schedule = await api.post<{ id: string }>('/v1/schedules', { name: 'kiosks', rhythm: weekly, rollout });
  page = await world.open('/backups?tab=policies');
  await page.getByRole('button', { name: 'Change by hours' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Backups per device, at most').fill('7');
  await dialog.getByRole('button', { name: 'Save the policy' }).and(page.locator(':enabled')).click();
  await dialog.waitFor({ state: 'detached' });
  const saved = await api.get<object>(`/v1/backups/policies/${policy.id}`);
  expect(saved).toMatchObject({ name: 'by hours', selector: 'all', rhythm, keepCount: 7, enabled: true });
  await page.getByRole('link', { name: 'by hours', exact: true }).click();
  await page.waitForURL(new RegExp(`policy=${policy.id}`)); // a link opens it, too
  await page.reload();
  await page.getByRole('dialog', { name: 'Change by hours' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('policy=');

  await page.goto(`${world.gateway.url}/console/schedules`);
  await page.getByRole('button', { name: 'Actions for kiosks' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await page.getByRole('dialog', { name: 'Change kiosks' }).waitFor();
  expect(await dialog.getByLabel('Weekday').inputValue()).toBe('1');
  await dialog.getByLabel('Time', { exact: true }).fill('04:00');
  await dialog.getByRole('button', { name: 'Save the schedule' }).and(page.locator(':enabled')).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await api.get<object>(`/v1/schedules/${schedule.id}`)).toMatchObject({
    name: 'kiosks',
    rhythm: { ...weekly, cron: '0 4 * * 1' },
    rollout,
    enabled: true,
  });
});

it('marks a key that never ends and may do all', async () => {
  page = await world.open('/access?tab=keys');
  const never = page.locator('.mark', { hasText: 'Never ends' }).first();
  await never.waitFor();
  await expect.poll(() => never.getAttribute('data-tone')).toBe('warn');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.locator('td[data-place=beside] .mark', { hasText: 'Never ends' }).first().waitFor();
});

it('cuts no column at the right of settings and of the jobs of a device', async () => {
  page = await world.open('/system?tab=settings&set=yes');
  await page.locator('.mark', { hasText: 'Set here' }).first().waitFor();
  await expect.poll(() => outOfSight()).toEqual([]);
  const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
    name: `${'a-long-name-of-a-pump-'.repeat(4)}1`,
    baseUrl: 'https://127.0.0.1:9',
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  const text = 'The device answered with a long sentence without a stop that nobody reads to its end '.repeat(3);
  await db.query(
    `insert into job (id, device_id, kind, spec, phase, outcome, cursor, wake_at, deadline_at, failure, started_by,
                      started_by_name, reason, created_at, started_at, ended_at)
     values (gen_random_uuid(), $1, 'backup', '{}', 'ended', 'failed', '{"step": "make"}', now(), now(),
             jsonb_build_object('code', 'odd', 'message', $2::text, 'facts', '{}'::jsonb), 'key:1', $2, $2,
             now(), now(), now())`,
    [id, text],
  );
  await page.goto(`${world.gateway.url}/console/devices/${id}?tab=jobs`);
  await page.getByRole('button', { name: 'Start again: Backup' }).waitFor();
  await expect.poll(() => outOfSight()).toEqual([]);
  await db.query('delete from job');
  await world.gateway.api.send('DELETE', `/v1/devices/${id}`);
});

/** The cells whose content, or which themselves, end right of their table. */
const outOfSight = () =>
  page.locator('main .table-box').evaluateAll((boxes) =>
    boxes.flatMap((box) => {
      const edge = box.getBoundingClientRect().right;
      return [...box.querySelectorAll('td:last-child, td:last-child *')]
        .filter((one) => one.getBoundingClientRect().right > edge + 0.5)
        .map((one) => one.textContent);
    }),
  );

it('shows jobs together with the names of their devices', async () => {
  for (const at of [1, 2])
    await world.gateway.api.post('/v1/devices', {
      name: `pump-${at}`,
      baseUrl: `https://127.0.0.1:${at}`,
      tags: ['pump'],
      credentials: { username: 'admin', password: 'a password of a device' },
    });
  await world.gateway.api.post('/v1/devices/name:pump-1/jobs', { kind: 'reboot', spec: {} });
  page = await world.open('/access');
  const release = await hold('**/v1/devices?selector=id*');
  const asked = page.waitForRequest('**/v1/devices?selector=id*');
  await page.goto(`${world.gateway.url}/console/jobs`);
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await asked;
  await expect.poll(() => page.getByRole('row', { name: /Restart/ }).count()).toBe(0);
  release();
  await page.getByRole('row', { name: /Restart/ }).waitFor();
  await expect.poll(() => page.getByRole('row', { name: /Restart/ }).innerText()).toContain('pump-1');
  await db.query('delete from job');
});

it('cuts no name and no date of old jobs, and says before a restart how long the last one took', async () => {
  const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
    name: 'gdansk-camera-12',
    baseUrl: 'https://127.0.0.1:9',
    credentials: { username: 'admin', password: 'a password of a device' },
  });
  await db.query(
    `insert into job (id, device_id, kind, spec, phase, outcome, cursor, wake_at, deadline_at, failure, result,
                      started_by, started_by_name, created_at, started_at, ended_at)
     select gen_random_uuid(), $1, 'reboot', '{}', 'ended', outcome, '{}', at, at, failure, result, 'key:1', 'Grace', at, at, at
     from (values ('failed', timestamptz '2026-02-28 22:47Z', '{"code":"odd","message":"x","facts":{}}'::jsonb, null),
                  ('failed', '2025-11-28 22:47Z', '{"code":"odd","message":"x","facts":{}}', null),
                  ('succeeded', '2026-02-27 12:00Z', null, '{"downSeconds":47.6}'::jsonb)) as past(outcome, at, failure, result)`,
    [id],
  );
  page = await world.open('/jobs?outcome=failed');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('row', { name: /gdansk-camera-12.*28 Nov 2025/ }).waitFor();
  const cut = page.locator('td:nth-child(2), td:nth-child(2) .cut, td:nth-child(6)');
  await expect.poll(() => cut.count()).toBe(6);
  expect(
    await cut.evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    ),
  ).toEqual([]);
  await page.getByRole('button', { name: 'Start again: Restart' }).first().click();
  await page.getByRole('dialog').getByText('Away for 48 s at its last restart').waitFor();
  await db.query('delete from job');
  await world.gateway.api.send('DELETE', `/v1/devices/${id}`);
});

it('begins with the firmware: what runs it, what is eligible, and the way to a rollout', async () => {
  await db.query(`update device set firmware = 'RUTX_R_00.07.24.2' where name = 'pump-1'`);
  page = await world.open('/artifacts');
  const table = page.getByRole('region', { name: 'Firmware', exact: true });
  await table.getByRole('row', { name: /07\.24\.2.*1 device/ }).waitFor();
  await expect.poll(() => table.getByRole('link', { name: 'Plan a rollout' }).count()).toBe(0);
  // prettier-ignore
  await db.query(
    `insert into artifact (id, sha256, bytes, kind, name, version, created_by_name, created_at)
     values ($1, $2, 1, 'firmware', 'RUTX.bin', 'RUTX_R_00.07.25.3', 'Grace', now())`,
    [randomUUID(), 'c'.repeat(64)],
  );
  await page.reload();
  const newest = table.getByRole('row', { name: /07\.25\.3/ });
  await newest.getByRole('link', { name: '1 device' }).waitFor();
  await newest.getByRole('link', { name: 'Plan a rollout' }).click();
  await page.waitForURL(/\/rollouts\/new\?.*selector=firmware.*07\.24\.2/);
  await page.goto(`${world.gateway.url}/console/artifacts`);
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await page.getByRole('row', { name: /RUTX\.bin/ }).waitFor();
  await page.getByRole('link', { name: 'Firmware', exact: true }).click();
  await table
    .getByRole('row', { name: /07\.24\.2/ })
    .getByRole('link', { name: '1 device' })
    .click();
  await page.waitForURL(/\/devices\?selector=firmware/);
  await page.getByRole('row', { name: /pump-1/ }).waitFor();
});

it('marks an administrator without a second factor in the list of people and in System', async () => {
  const { name } = await addWithPassword(world.gateway, 'Hedy', 'administrator');
  page = await world.open('/access');
  await page.getByRole('row', { name }).locator('.mark', { hasText: 'Missing' }).waitFor();
  await page.getByRole('row', { name: world.name }).locator('.mark', { hasText: 'Set up' }).waitFor();
  await page.goto(`${world.gateway.url}/console/system`);
  const warning = page.getByText(`1 administrator has no second factor: ${name}`);
  await warning.waitFor();
  await expect.poll(() => warning.count()).toBe(1);
  // The gateway may notice more meanwhile: both screens say what it says now, and this one of the console.
  const unsaid = async (count: () => Promise<number>) => {
    const { warnings } = await world.gateway.api.get<{ warnings: unknown[] }>('/v1/system');
    return (await count()) - (warnings.length + 1);
  };
  const heading = page.getByRole('heading', { level: 2, name: /^\d+ warnings?$/ });
  await expect.poll(() => unsaid(async () => parseInt(await heading.innerText(), 10))).toBe(0);
  await page.goto(`${world.gateway.url}/console/`);
  const warnings = page.getByRole('list', { name: 'Warnings of the installation' });
  await warnings.getByText(name).waitFor();
  await expect.poll(() => unsaid(() => warnings.getByRole('listitem').count())).toBe(0);
});

it('begins a webhook with what it is for', async () => {
  page = await world.open('/system?tab=webhooks');
  await page.getByRole('button', { name: 'Send mails: set it up' }).click();
  await page.locator('dialog[open]').getByLabel('Format').waitFor();
  await expect.poll(() => page.locator('dialog[open]').getByLabel('Format').inputValue()).toBe('mail');
});

it('has all that a decision needs beside a request that waits', async () => {
  page = await world.open('/access?tab=approvals');
  await page.getByRole('heading', { name: 'Nothing waits for approval' }).waitFor();
  const asked = { selector: 'tag:pump', request: { method: 'POST', path: '/api/system/actions/reboot' } };
  const send = world.gateway.as('operator').send('POST', '/v1/fan-outs', asked, { 'idempotency-key': 'restart-pumps' });
  await expect(send).rejects.toMatchObject({ code: 'approval_required' });
  await page.reload();
  await page.getByRole('heading', { name: /asks to restart 2 devices$/ }).waitFor();
  await page.getByText('none among the last 100 calls').waitFor();
  await page.getByRole('main').locator('.mark', { hasText: 'New' }).waitFor();
  await expect.poll(() => page.getByRole('main').locator('[data-kind=primary]').allInnerTexts()).toEqual(['Approve']);
});
