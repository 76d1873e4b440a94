import { type Locator, type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectAtMost } from '../support/console/figures.js';

/* What people do most, counted in clicks. Typing and Enter are no clicks. */

const OFFERED = `sha256/${'B'.repeat(43)}=`;

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
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
  await db.query(`update device set state = 'trust_changed', trust_pin = $1, offered_pin = $2 where name = 'pump-3'`, [
    `sha256/${'A'.repeat(43)}=`,
    OFFERED,
  ]);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** A person at a screen. Counts the clicks. */
class Hand {
  clicks = 0;

  constructor(readonly page: Page) {}

  async click(locator: Locator): Promise<void> {
    await locator.click();
    this.clicks++;
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  link(name: string | RegExp): Locator {
    return this.page.getByRole('link', { name });
  }
}

async function at(path: string): Promise<Hand> {
  const page = await world.open(path);
  await page.locator('main h1').first().waitFor();
  return new Hand(page);
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
  expect(await hand.page.getByText('refused: ECONNREFUSED').count()).toBeGreaterThan(0);
  expectAtMost('B11', 'clicks: why is it offline', hand.clicks, 1);
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
  await hand.click(hand.link('Fan-out'));
  await hand.click(
    hand
      .link(/Call many/)
      .or(hand.button(/Call many/))
      .first(),
  );
  await hand.page.getByLabel('Selector').fill('tag:pump');
  await hand.page.getByLabel('Path').fill('/api/system/device/status');
  await hand.click(hand.button(/^Send$/));
  await hand.page.waitForURL(/\/fan-outs\/[0-9a-f-]{36}$/);
  expectAtMost('B11', 'clicks: one call to many', hand.clicks, 4);
  await hand.page.close();
});

it('freezes all writes with two clicks and the typed word', async () => {
  const hand = await at('/access?tab=locks');
  await hand.click(hand.button('Freeze all writes'));
  await hand.page.getByLabel('Type freeze to confirm').fill('freeze');
  await hand.click(hand.button(/^Freeze$/));
  await hand.page.getByRole('cell', { name: 'All writes' }).waitFor();
  const { rows } = await db.query<{ kind: string }>(`select kind from lock where lifted_at is null`);
  expect(rows).toEqual([{ kind: 'writes' }]);
  expectAtMost('B11', 'clicks: freeze all writes, besides the typed word', hand.clicks, 2);
  await hand.page.close();
});
