import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectAtMost } from '../support/console/figures.js';
import { goTo } from '../support/console/in-page.js';
import { addDevices } from '../support/console/large-fleet.js';
import { shiftWhileRead } from '../support/console/layout-shift.js';
import { until } from '../support/until.js';

/* What an operator sees first: the numbers, what needs attention, and the state of one device. */

const DEVICES = 200;
const OFFLINE = 40;

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  await addDevices(db, DEVICES);
  await db.query(`update device set state = case when name <= 'router-000${OFFLINE}' then 'offline' else 'online' end`);
  await db.query(`update device set state = 'credentials_refused' where name = 'router-00199'`);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

const attention = (page: Page) =>
  page
    .getByRole('list', { name: 'Needs attention' })
    .or(page.getByRole('list', { name: 'Warnings of the installation' }))
    .getByRole('listitem');
const nothing = (page: Page) => page.getByText('Nothing needs you now');

describe('the overview', () => {
  it('names the worst first, and those with the same cause together', async () => {
    const page = await world.open('/');
    const offline = attention(page)
      .first()
      .filter({ hasText: `${OFFLINE} devices` });
    await attention(page).filter({ hasText: 'router-00199' }).waitFor();
    await offline.filter({ hasText: `no answer · ${OFFLINE} sites` }).waitFor();
    await offline.getByRole('link', { name: `Show ${OFFLINE}` }).click();
    await page.getByText(`${OFFLINE} match`).waitFor();
    expect(new URL(page.url()).searchParams.get('selector')).toBe('state=offline');
    await page.close();
  });

  it('says that it is rather the gateway where many devices of many sites fail in the same way', async () => {
    const before = await db.query<{ id: string; state: string }>('select id, state from device');
    await db.query(`update device set state = 'offline', state_reason = 'timeout: tls' where state = 'online'`);
    const page = await world.open('/');
    const text = /time-out at TLS · all over the fleet, \d+ sites · probably the gateway’s own network/;
    await attention(page).filter({ hasText: text }).waitFor();
    await expect.poll(() => attention(page).filter({ hasText: 'See why' }).count()).toBe(0);
    await page.close();
    for (const state of ['online', 'offline']) {
      const ids = before.rows.filter((row) => row.state === state).map(({ id }) => id);
      await db.query('update device set state = $2, state_reason = null where id = any ($1)', [ids, state]);
    }
  });

  it('has the warnings of the installation apart, and puts one away that a person knows', async () => {
    await until(async () => (await world.gateway.api.get<{ warnings: [] }>('/v1/system')).warnings.length > 0);
    const page = await world.open('/');
    const buttons = page.getByRole('button', { name: /^Acknowledge: / });
    await buttons.first().waitFor();
    const count = await buttons.count();
    await buttons.first().click();
    await page.getByText('1 acknowledged in this browser').waitFor();
    await expect.poll(() => buttons.count()).toBe(count - 1);
    await page.reload();
    await page.getByText('1 acknowledged in this browser').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.locator('.mark', { hasText: 'Known' }).waitFor();
    await page.evaluate(`localStorage.removeItem('fleetgate.acknowledged-warnings')`);
    await page.close();
  });

  it('names a device without a login, and the list shows it as such', async () => {
    const name = 'router-00077';
    await db.query(`delete from device_account where device_id = (select id from device where name = $1)`, [name]);
    const page = await world.open('/');
    const item = attention(page).filter({ hasText: name });
    await item.filter({ hasText: 'No login is stored' }).waitFor();
    await item.getByRole('link', { name: 'Set the login' }).waitFor();
    await goTo(page, '/devices?selector=credentials%3Anone');
    const row = page.getByRole('row').filter({ hasText: name });
    await expect.poll(() => row.textContent()).toContain('No login');
    await page.close();
  });

  it.each(['the first first', 'the last first'] as const)('moves nothing while its answers come, %s', async (order) => {
    const page = await world.open('/no-such-screen', { isFresh: true });
    const isRead = `/Setup \\d of 6/.test(document.querySelector('main')?.innerText)`;
    const shift = await shiftWhileRead(page, `${world.gateway.url}/console/`, order, isRead);
    expectAtMost('B3', 'layout shift of the overview while it is read', shift, 0.02);
    await page.close();
  });

  it('lists what the first days need, and backs up what has no backup with two clicks', async () => {
    const page = await world.open('/');
    const opener = page.getByRole('button', { name: /Setup \d of 6/ });
    const card = page.locator('section').filter({ has: opener });
    await opener.click();
    await card.getByText(/^\d done$/).click();
    await card.getByRole('listitem').filter({ hasText: 'Add devices' }).filter({ hasText: '(done)' }).waitFor();
    await card.getByRole('button', { name: 'It is kept' }).click();
    const key = card.getByRole('listitem').filter({ hasText: 'root key' });
    await key.filter({ hasText: '(done)' }).waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Backups' }).click();
    // One has no login, and the password of another one is refused.
    const most = `Back up ${DEVICES - 2} of ${DEVICES} devices without a backup`;
    await page.getByRole('button', { name: most }).click();
    await page.getByRole('heading', { level: 1, name: 'Backup of devices without one' }).waitFor();
    const { rows } = await db.query('select kind, selector, state from rollout');
    expect(rows).toMatchObject([{ kind: 'backup', selector: 'backup:none' }]);
    await db.query('truncate rollout cascade');
    await page.goto(`${world.gateway.url}/console/`);
    await card.getByRole('button', { name: 'Hide' }).click();
    await card.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await attention(page).first().waitFor();
    await expect.poll(() => card.count()).toBe(0);
    await page.close();
  });

  it('has a button to back up one device only where the one for all takes it', async () => {
    const [sound, refused, locked] = ['router-00050', 'router-00199', 'router-00051'];
    const { rows } = await db.query<{ id: string }>('select id from device where name = $1', [locked]);
    const lock = await world.gateway.api.post<{ id: string }>('/v1/locks', {
      kind: 'device',
      target: rows[0]!.id,
      reason: 'on loan',
    });
    const selector = [sound, refused, locked].map((name) => `name=${name}`).join(' | ');
    const page = await world.open(`/backups?selector=${encodeURIComponent(selector)}`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await page.getByRole('button', { name: 'Back up 2 of 3 devices without a backup' }).waitFor();
    await row(refused).getByText('left out: its password is refused').waitFor();
    await row(locked).getByText('when its lock has ended').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /^Back up now: / }).count()).toBe(1);
    await row(sound)
      .getByRole('button', { name: `Back up now: ${sound}` })
      .waitFor();
    await page.close();
    await world.gateway.api.send('DELETE', `/v1/locks/${lock.id}`);
  });

  it('filters by its numbers', async () => {
    const page = await world.open('/');
    await page.getByRole('link', { name: `Offline ${OFFLINE}` }).click();
    await page.getByText(`${OFFLINE} match`).waitFor();
    expect(new URL(page.url()).searchParams.get('selector')).toBe('state=offline');
    await page.close();
  });

  it('does not say that all is well while it cannot read what is wrong', async () => {
    const page = await world.open('/sign-in');
    const problem = {
      code: 'database_unavailable',
      title: 'The database does not answer',
      status: 503,
      requestId: 'r-1',
    };
    await page.route(/\/v1\/(?:devices|jobs|monitoring)/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.goto(`${world.gateway.url}/console/`);
    await page.getByRole('alert').first().waitFor();
    await expect.poll(() => nothing(page).count()).toBe(0);
    await expect
      .poll(() => page.getByRole('list', { name: 'Numbers' }).locator('strong').allTextContents())
      .toEqual(['–', '–', '–', '–', '–', '–']);
    await page.close();
  });
});

describe('what a reader has chosen for all screens', () => {
  it('stays: the width of a column, by keyboard and by pointer, and times as dates', async () => {
    const page = await world.open('/devices?columns=changed,site');
    const handle = page.getByRole('separator', { name: 'Width of Site' });
    const width = async () => Number(await handle.getAttribute('aria-valuenow'));
    await handle.focus();
    await page.keyboard.press('ArrowLeft');
    const first = await width();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(first + 16);
    const { x, y, height } = (await handle.boundingBox())!;
    await page.mouse.move(x + 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x - 36, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(first + 16 - 40);
    await page.reload();
    await expect.poll(width).toBe(first + 16 - 40);
    const changed = page.getByRole('row').nth(1).locator('time');
    await changed.filter({ hasText: /ago|now/ }).waitFor();
    await page.getByRole('button', { name: world.name }).click();
    await page.getByLabel('Times').selectOption('absolute');
    await changed.filter({ hasText: /^\d+ \w+, \d\d:\d\d$/ }).waitFor();
    await page.reload();
    await changed.filter({ hasText: /^\d+ \w+, \d\d:\d\d$/ }).waitFor();
    await page.evaluate('localStorage.clear()');
    await page.close();
  });
});

describe('a device', () => {
  it('shows the lock of a selector that names it, and no other one', async () => {
    const { api } = world.gateway;
    await api.post('/v1/locks', { kind: 'selector', target: 'tag:even', reason: 'a storm' });
    await api.post('/v1/locks', { kind: 'selector', target: 'tag:odd', reason: 'a flood' });
    const [{ id }] = (await db.query<{ id: string }>(`select id from device where name = 'router-00002'`)).rows as [
      { id: string },
    ];
    const page = await world.open(`/devices/${id}`);
    const amiss = page.getByRole('list', { name: 'What is amiss' });
    await amiss.getByText('Locked, no calls: a storm').waitFor();
    await page.getByText('Online, 7 days').waitFor();
    await expect.poll(() => page.getByText('a flood').count()).toBe(0);
    await page.getByRole('img', { name: 'Locked: a storm' }).waitFor();
    await goTo(page, '/devices?q=router-00002');
    await page
      .getByRole('row', { name: /router-00002/ })
      .getByRole('img', { name: /^Locked/ })
      .waitFor();
    await page.close();
  });
});
