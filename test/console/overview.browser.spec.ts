import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { goTo } from '../support/console/in-page.js';
import { addDevices } from '../support/console/large-fleet.js';

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

const attention = (page: Page) => page.locator('.attention > li');
const nothing = (page: Page) => page.getByText('Nothing needs you now');

describe('the overview', () => {
  it('names the worst first, however many devices are offline, and counts the others', async () => {
    const page = await world.open('/');
    await attention(page).first().filter({ hasText: 'router-00199' }).waitFor(); // after the lists of other causes
    await page.getByText(/\d+ more/).waitFor();
    const warnings = (await world.gateway.api.get<{ warnings: unknown[] }>('/v1/system')).warnings.length;
    const counted = async () => {
      const more = Number(/(\d+) more/.exec((await page.getByText(/\d+ more/).textContent()) ?? '')?.[1]);
      return more + (await attention(page).filter({ hasText: 'router-' }).count());
    };
    await expect.poll(counted).toBe(OFFLINE + 1 + warnings);
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
    await page.route(/\/v1\/(?:devices|jobs)/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    );
    await page.goto(`${world.gateway.url}/console/`);
    await page.getByRole('alert').first().waitFor();
    expect(await nothing(page).count()).toBe(0);
    expect(await page.locator('.numbers strong').allTextContents()).toEqual(['–', '–', '–', '–', '–', '–']);
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
    await page.getByText('it is locked').waitFor();
    await page.getByText('a storm').waitFor();
    await page.getByText('State over time').waitFor();
    expect(await page.getByText('a flood').count()).toBe(0);
    await page.close();
  });
});
