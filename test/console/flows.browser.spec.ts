import { randomUUID } from 'node:crypto';
import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectAtMost } from '../support/console/figures.js';
import { startRealFleet, type RealFleet } from '../support/console/real-fleet.js';
import { ScreenUser } from '../support/console/screen-user.js';
import { NEWEST_VENDOR_FIRMWARE } from '../../src/simulator/device/families.js';

/* What people do most, counted in clicks. Typing and Enter are no clicks. */

const OFFERED = `sha256/${'B'.repeat(43)}=`;
/** As they are shown, in fours. */
const groupsOf = (letter: string) => [...Array.from({ length: 10 }, () => letter.repeat(4)), `${letter.repeat(3)}=`];
const CERTIFICATE = {
  subject: 'CN=router',
  issuer: 'CN=Example CA',
  keyType: 'rsa',
  keyBits: 2048,
  fingerprint: 'b'.repeat(64),
  notBefore: '2026-01-02T03:04:00.000Z',
  notAfter: '2036-01-02T03:04:00.000Z',
};

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api', APPROVAL_DEVICES: '2' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  for (const [at, name] of ['pump-1', 'pump-2', 'pump-3'].entries()) {
    await world.gateway.api.post('/v1/devices', {
      name,
      baseUrl: `https://127.0.0.${at + 1}:1`,
      tags: ['pump'],
      credentials: { username: 'admin', password: 'a password of a device' },
    });
  }
  await db.query(`update device set state = 'online' where name = 'pump-1'`);
  await db.query(`update device set state = 'offline', state_reason = 'refused: ECONNREFUSED' where name = 'pump-2'`);
  await db.query(
    `update device set state = 'trust_changed', trust_pin = $1, offered_pin = $2, offered_certificate = $3 where name = 'pump-3'`,
    [`sha256/${'A'.repeat(43)}=`, OFFERED, JSON.stringify(CERTIFICATE)],
  );
});
afterAll(async () => {
  await db.end();
  await world.close();
});

async function at(path: string): Promise<ScreenUser> {
  const page = await world.open(path);
  await page.locator('main h1').first().waitFor();
  return new ScreenUser(page);
}

it('opens a device by its name with one click and Enter', async () => {
  const hand = await at('/');
  await hand.click(hand.button(/^Go to/));
  await hand.page.getByRole('dialog').getByRole('combobox').fill('pump-1');
  await hand.page.getByRole('option', { name: /pump-1/ }).waitFor();
  await hand.page.keyboard.press('Enter');
  await hand.page.getByRole('heading', { level: 1, name: 'pump-1' }).waitFor();
  expectAtMost('B11', 'clicks: open a device by its name', hand.clicks, 1);
  await hand.page.close();
});

it('says why a device is offline after one click', async () => {
  const hand = await at('/devices');
  await hand.click(hand.link('pump-2'));
  await hand.page.getByText('It does not answer').waitFor();
  await expect.poll(() => hand.page.getByText('refused: ECONNREFUSED').count()).toBeGreaterThan(0);
  expectAtMost('B11', 'clicks: why is it offline', hand.clicks, 1);
  await hand.page.close();
});

it('says on the screens that read from an offline device since when it is, and no error', async () => {
  const hand = await at('/devices');
  await hand.click(hand.link('pump-2'));
  for (const tab of ['Live status', 'Configuration', 'API']) {
    await hand.page.getByLabel('Parts of the device').getByRole('link', { name: tab, exact: true }).click();
    await hand.page.getByText('pump-2 is offline and has never answered.').waitFor();
    await hand.button('Check now').waitFor();
    await expect.poll(() => hand.page.getByRole('alert').count()).toBe(0);
  }
  await hand.link('See why').click();
  await hand.page.getByText('It does not answer').waitFor();
  await hand.page.close();
});

it('says the same of another certificate on each screen that reads from the device, and no error', async () => {
  const hand = await at('/devices');
  await hand.click(hand.link('pump-3'));
  for (const tab of ['Overview', 'Live status', 'Configuration', 'Certificates', 'API']) {
    await hand.page.getByLabel('Parts of the device').getByRole('link', { name: tab, exact: true }).click();
    const card = hand.page.locator('main section').filter({ hasText: 'It shows another certificate' });
    await card.getByText(OFFERED).waitFor();
    await card.getByText(/^CN=router, issued by CN=Example CA, valid from .*2036/).waitFor();
    await expect.poll(() => card.locator('mark').allInnerTexts()).toEqual([...groupsOf('A'), ...groupsOf('B')]);
    await card.getByText('If you did not expect it, do not accept').waitFor();
    await card.getByRole('button', { name: 'Compare and accept' }).waitFor();
    await expect.poll(() => hand.page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => hand.page.getByText('No values yet').count()).toBe(0);
  }
  await hand.page.getByRole('link', { name: 'Audit of this device' }).click();
  await hand.page.waitForURL(/tab=audit/);
  await hand.page.close();
});

it('accepts a changed certificate with two clicks and the typed name', async () => {
  const hand = await at('/certificates');
  await hand.click(hand.button(/Compare and accept/));
  await hand.page.getByLabel('Type pump-3 to confirm').fill('pump-3');
  await hand.click(hand.button(/^Accept$/));
  await hand.page.getByText('The certificate is accepted').waitFor();
  const { rows } = await db.query<{ pin: string }>(`select trust_pin as pin from device where name = 'pump-3'`);
  expect(rows).toEqual([{ pin: OFFERED }]);
  expectAtMost('B11', 'clicks: accept a changed certificate, besides the typed name', hand.clicks, 2);
  await hand.page.close();
});

it('calls many devices with at most four clicks', async () => {
  const hand = await at('/');
  await hand.click(hand.link('Bulk query'));
  await hand.click(
    hand
      .link(/New bulk query/)
      .or(hand.button(/New bulk query/))
      .first(),
  );
  await hand.click(hand.button('Edit as text'));
  await hand.page.getByLabel('Selector').fill('tag:pump');
  const question = hand.page.getByRole('combobox', { name: 'What do you want to ask?' });
  await question.fill('model serial');
  await question.press('Enter');
  await hand.click(hand.button(/^Send$/));
  await hand.page.waitForURL(/\/fan-outs\/[0-9a-f-]{36}$/);
  expectAtMost('B11', 'clicks: one call to many', hand.clicks, 4);
  await hand.page.close();
});

/** Stores an image that the gateway takes for firmware; these tests never send it to a device. */
async function storeFirmware(): Promise<string> {
  const address = `${world.gateway.url}/v1/artifacts?kind=firmware&name=RUTX_R_00.${NEWEST_VENDOR_FIRMWARE}.bin`;
  const headers = {
    authorization: `Bearer ${world.gateway.keys.administrator}`,
    'content-type': 'application/octet-stream',
  };
  const answer = await fetch(address, { method: 'POST', headers, body: Buffer.alloc(4_096, 7) });
  return ((await answer.json()) as { id: string }).id;
}

it('brings firmware to all devices that match with at most five clicks', async () => {
  const artifactId = await storeFirmware();
  await db.query(`insert into artifact (id, sha256, bytes, kind, name, device_id, created_at)
    select gen_random_uuid(), repeat('ab', 32), 9, 'backup', 'backup.tar.gz', id, now() from device where tags @> '{pump}'`);
  const hand = await at('/devices?selector=tag%3Apump');
  await hand.click(hand.page.getByRole('checkbox', { name: 'Select all 3 devices' }));
  await hand.click(hand.button(/^Rollout$/));
  const firmware = hand.page.getByLabel('Firmware', { exact: true });
  await firmware.waitFor();
  await firmware.selectOption(artifactId);
  hand.clicks += 2; // with a mouse: one opens the list, one chooses
  await hand.click(hand.button('Create and start'));
  await hand.page.waitForURL(/\/rollouts\/[0-9a-f-]{36}$/);
  const { rows } = await db.query(`select kind, selector, state <> 'draft' as started from rollout`);
  expect(rows).toEqual([{ kind: 'firmware', selector: 'tag:pump', started: true }]);
  const naming = (id: string) => world.gateway.api.get<{ items: { kind: string }[] }>(`/v1/rollouts?artifact=${id}`);
  expect((await naming(artifactId)).items).toHaveLength(1);
  expect((await naming(randomUUID())).items).toEqual([]);
  expectAtMost('B11', 'clicks: firmware to all that match', hand.clicks, 5);
  await hand.page.close();
});

it('approves with two clicks and a code', async () => {
  const operator = world.gateway.as('operator');
  const asked = { selector: 'tag:pump', request: { method: 'POST', path: '/api/system/actions/reboot' } };
  const send = operator.send('POST', '/v1/fan-outs', asked, { 'idempotency-key': 'restart-of-all-pumps' });
  await expect(send).rejects.toMatchObject({ code: 'approval_required' });
  await db.query(FORGET_FACTORS);
  const hand = await at('/access?tab=approvals');
  await hand.page
    .getByText(/ asks to restart 3 devices/)
    .first()
    .waitFor();
  await hand.click(hand.button('Approve'));
  const dialog = hand.page.getByRole('dialog');
  await dialog.getByText('none among the last 100 calls').waitFor();
  await dialog.locator('.mark', { hasText: 'Offline' }).waitFor();
  await dialog.getByLabel('Comment').fill('in the night');
  await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
  await enterCode(hand.page, world);
  await hand.page.getByText('The request is approved').waitFor();
  const { rows } = await db.query(`select state, decided_by_name as by from approval`);
  expect(rows).toEqual([{ state: 'approved', by: world.name }]);
  const { items } = await world.gateway.api.get<{ items: object[] }>('/v1/audit?action=approval.approve');
  expect(items).toEqual([expect.objectContaining({ reason: 'in the night' })]);
  expectAtMost('B11', 'clicks: approve, besides the code', hand.clicks, 2);
  await hand.page.close();
});

/** As after some minutes: the next action that needs a second factor asks for a code. */
const FORGET_FACTORS = 'update operator_session set second_factor_at = null';

/** Types a code into the dialog that asks for one, and presses Enter. */
async function enterCode(page: Page, at: ConsoleWorld): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(at.code());
  await page.keyboard.press('Enter');
}

describe('with devices that answer', () => {
  let fleet: RealFleet;
  let real: ConsoleWorld;
  beforeAll(async () => {
    real = await startConsoleWorld();
    fleet = await startRealFleet(real.gateway);
    const { outcome } = await real.gateway.api.client.jobs.wait(fleet.jobId);
    expect(outcome).toBe('succeeded');
    const connection = new pg.Client({ connectionString: real.gateway.databaseUrl });
    await connection.connect();
    await connection.query(FORGET_FACTORS);
    await connection.query(`update device set model = 'RUTX50' where model is null`);
    await connection.end();
  });
  afterAll(async () => {
    await fleet?.fleet.close();
    await real.close();
  });

  it('shows a job over time, with its device, and its entries in the audit', async () => {
    const { id } = await real.gateway.api.post<{ id: string }>(`/v1/devices/${fleet.ids[1]}/jobs`, { kind: 'reboot' });
    const { outcome } = await real.gateway.api.client.jobs.wait(id);
    expect(outcome).toBe('succeeded');
    const page = await real.open(`/jobs/${id}`);
    await page.getByRole('heading', { level: 1, name: 'Restart on router-2' }).waitFor();
    const steps = page.getByRole('list', { name: 'Steps over time' }).locator('li');
    await expect
      .poll(async () => (await steps.allInnerTexts()).map((text) => text.split('\n')[0]))
      .toEqual(['Waits for its turn', 'Checks the device', 'Restarts', 'Confirms the result']);
    await page.getByText('The line is the point of no return').waitFor();
    // On a narrow screen each bar has a line of its own.
    await page.setViewportSize({ width: 390, height: 800 });
    const lane = steps.first().locator('[aria-hidden]').first();
    await expect.poll(async () => (await lane.boundingBox())!.width).toBe((await steps.first().boundingBox())!.width);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/[{}]/);
    await page.getByRole('link', { name: 'Started a job' }).click();
    await page.waitForURL(/\/audit\?.*entry=/);
    await page.close();
    // The log has the job as one row in words, which opens to its entries.
    const log = await real.open('/audit');
    await log
      .getByRole('button', { name: /Restarted/ })
      .first()
      .click();
    await log.getByRole('link', { name: 'Ended a job' }).first().waitFor();
    await expect.poll(() => log.getByRole('button', { name: /Restarted/, expanded: true }).count()).toBe(1);
    // Nothing of it is beyond the edge, and the filters are in the order of its columns.
    const box = log.getByRole('region', { name: 'Audit entries' });
    expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await log.getByLabel('Who').fill('rollouts');
    await log.getByLabel('Who').press('Enter');
    await log.getByRole('heading', { name: 'No entry matches these filters' }).waitFor();
    await log.close();
  });

  it('shows what saving a section changes, and takes the same change to the others like it', async () => {
    const page = await real.open(`/devices/${fleet.ids[0]}?tab=configuration&service=%2Fapi%2Fntp%2Fglobal`);
    await page.getByLabel('Set the clock every').fill('7200');
    const difference = page.getByRole('region', { name: 'What saving changes' });
    await expect
      .poll(() => difference.locator('td').allInnerTexts())
      .toEqual(['Set the clock every', expect.any(String), '7200']);
    await page.getByRole('button', { name: 'Apply to others like it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Plan a rollout' }).waitFor();
    await expect.poll(() => page.getByLabel('What to do').inputValue()).toBe('configure');
    await expect.poll(() => page.getByLabel('Section').inputValue()).toBe('/api/ntp/global');
    await expect.poll(() => page.getByLabel('New value').inputValue()).toBe('7200');
    await expect.poll(() => page.getByLabel('Selector').inputValue()).toMatch(/^model=.* & !id=/);
    await page.goBack();
    await page.getByLabel('Set the clock every').fill('7200');
    await page.getByRole('button', { name: 'Save 1 change' }).click();
    await page.getByText('The device took the changes').waitFor();
    await page.close();
  });

  it('offers the settings for a rollout by name, as one of its devices has them', async () => {
    const page = await real.open(`/rollouts/new?kind=configure&selector=${encodeURIComponent(`id=${fleet.ids[0]}`)}`);
    await page.getByText('Settings as router-1 has them').waitFor();
    await page.getByText('1 device', { exact: true }).nth(1).waitFor(); // also beside the form, before it is complete
    await page.getByLabel('Service').selectOption('/api/ntp/global');
    await page.getByRole('checkbox', { name: /Set the clock every/ }).check();
    await page.getByRole('button', { name: 'Change 1 setting' }).click();
    await expect.poll(() => page.getByLabel('Section').inputValue()).toBe('/api/ntp/global');
    await page.close();
  });

  it('restores with at most four clicks and a code, after the difference', async () => {
    const page = await real.open(`/devices/${fleet.ids[0]}`);
    const hand = new ScreenUser(page);
    await hand.click(page.locator('main nav').getByRole('link', { name: 'Backups' }));
    await hand.click(hand.button('Restore'));
    await page.getByText('This is its newest backup').waitFor();
    await page.getByLabel('Type router-1 to confirm').fill('router-1');
    await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Restore' }));
    await enterCode(page, real);
    await page.waitForURL(/\/jobs\/[0-9a-f-]{36}$/);
    const { items } = await real.gateway.api.get<{ items: { kind: string }[] }>('/v1/jobs?kind=restore');
    expect(items).toHaveLength(1);
    expectAtMost('B11', 'clicks: restore, besides the code and the typed name', hand.clicks, 4);
    await page.close();
  });
});

it('approves a rollout with two clicks and a code', async () => {
  const operator = world.gateway.as('operator');
  const input = { name: 'nightly', kind: 'backup', selector: 'tag:pump' };
  const { id } = await operator.post<{ id: string }>('/v1/rollouts', { ...input, policy: { held: 'wait' } });
  expect(await operator.post(`/v1/rollouts/${id}/start`)).toMatchObject({ state: 'awaiting_approval' });
  await db.query(FORGET_FACTORS);
  const hand = await at(`/rollouts/${id}`);
  await hand.click(hand.button('Approve'));
  await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
  await enterCode(hand.page, world);
  await hand.page.getByText('Rollout approved').waitFor();
  const { rows } = await db.query(`select approved_by_name as by from rollout where id = $1`, [id]);
  expect(rows).toEqual([{ by: world.name }]);
  expectAtMost('B11', 'clicks: approve a rollout, besides the code', hand.clicks, 2);
  await hand.page.close();
});

it('freezes all writes with two clicks and the typed word', async () => {
  const hand = await at('/access?tab=locks');
  await hand.click(hand.button('Freeze all writes'));
  await hand.page.getByText(/^Running now: \d+ jobs?, \d+ rollouts?\.$/).waitFor();
  await hand.page.getByLabel('Type freeze to confirm').fill('freeze');
  await hand.click(hand.button(/^Freeze$/));
  await hand.page.getByRole('cell', { name: 'All writes' }).waitFor();
  const { rows } = await db.query<{ kind: string }>(`select kind from lock where lifted_at is null`);
  expect(rows).toEqual([{ kind: 'writes' }]);
  expectAtMost('B11', 'clicks: freeze all writes, besides the typed word', hand.clicks, 2);
  await hand.page.close();
});
