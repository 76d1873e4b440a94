import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { goTo } from '../support/console/in-page.js';
import { harmOf, HOSTILE, MARKUP } from '../support/console/hostile.js';

/* Texts of devices and callers are data on every screen, whatever they hold. */

let world: ConsoleWorld;
let db: pg.Client;
const ids: string[] = [];

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  for (const [at, text] of HOSTILE.entries()) {
    const { rows } = await db.query<{ id: string }>(
      `insert into device (id, name, base_url, model, firmware, serial, site, note, state, state_reason, created_at, updated_at)
       values (gen_random_uuid(), 'router-' || $1::int, 'https://10.0.2.' || $1::int, $2, $2, $3, left($2, 100), left($2, 900), 'offline', $2, now(), now())
       returning id`,
      [at + 1, text, `${text.slice(0, 90)}${at}`],
    );
    ids.push(rows[0]!.id);
    await db.query(
      `insert into device_change (device_id, at, field, before, after) values ($1, now(), 'firmware', null, $2)`,
      [ids[at], text],
    );
  }
});
afterAll(async () => {
  await db.end();
  await world.close();
});

it('shows hostile texts on every screen as what they are', async () => {
  const columns = 'columns=state,site,model,firmware,serial,note,tags';
  const tabs = [
    'overview',
    'values',
    'status',
    'configuration',
    'history',
    'jobs',
    'backups',
    'trust',
    'sessions',
    'audit',
    'api',
  ];
  const screens = [
    '/',
    `/devices?${columns}`,
    '/monitoring',
    '/jobs',
    '/backups',
    '/certificates',
    '/audit',
    '/fan-outs',
    '/rollouts',
  ];
  const harm: string[] = [];
  const page = await world.open('/');
  for (const path of screens) {
    await goTo(page, path);
    harm.push(...(await harmOf(page, path)));
  }
  for (const [at, id] of ids.entries()) {
    await goTo(page, `/devices/${id}?tab=${tabs[at % tabs.length]}`);
    harm.push(...(await harmOf(page, `device ${at + 1}`)));
  }
  await page.close();
  expectNone('B9', 'screens on which a hostile text does harm', harm);
});

it('shows markup of a device as text', async () => {
  const page = await world.open('/devices?columns=model');
  await page.getByText(MARKUP, { exact: true }).first().waitFor();
  await expect.poll(() => page.locator('main img').count()).toBe(0);
  await page.close();
});

it('takes hostile texts from the address and from a search', async () => {
  const harm: string[] = [];
  const page = await world.open('/');
  for (const text of HOSTILE.filter((one) => one.length < 2_000)) {
    const address = `/devices?q=${encodeURIComponent(text)}&selector=${encodeURIComponent(text)}`;
    await page.goto(`${world.gateway.url}/console${address}`); // as from a link of another page
    harm.push(...(await harmOf(page, `q=${text}`)));
  }
  await page.close();
  expectNone('B9', 'addresses that do harm', harm);
});
