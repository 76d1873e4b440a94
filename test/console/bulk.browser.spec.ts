import { readFileSync } from 'node:fs';
import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { addDevices } from '../support/console/large-fleet.js';

/* What bulk actions take: the devices that were shown, or none. */

/** Five devices of each site. */
const DEVICES = 2_000;

let world: ConsoleWorld;
let db: pg.Client;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  await addDevices(db, DEVICES);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

describe('a bulk action', () => {
  const tagged = async (tag: string) =>
    (await db.query<{ name: string }>('select name from device where $1 = any(tags) order by name', [tag])).rows.map(
      ({ name }) => name,
    );
  const move = (site: string, count: number) =>
    db.query(
      `update device set site = 'elsewhere' where id in (select id from device where site = $1 order by name limit $2)`,
      [site, count],
    );

  /** Chooses all devices of a site in the table. */
  async function chosen(site: string): Promise<Page> {
    const page = await world.open(`/devices?selector=site%3D${site}`);
    await page.locator('.device-body a').first().waitFor();
    await page.getByRole('checkbox', { name: /Select all/ }).check();
    return page;
  }

  it('takes exactly the devices that were shown, or none', async () => {
    const page = await chosen('site-7');
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByLabel('Add tags').fill('chosen');

    await move('site-7', 3);
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByText('selection_changed').waitFor();
    expectNone('B8', 'devices that an action took after the selection had changed', await tagged('chosen'));

    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('2 devices', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByText('Tags of 2 devices changed').waitFor();
    const wanted = (await db.query<{ name: string }>(`select name from device where site = 'site-7'`)).rows;
    const taken = new Set(await tagged('chosen'));
    expectNone(
      'B8',
      'devices that the action left out',
      wanted.map(({ name }) => name).filter((name) => !taken.delete(name)),
    );
    expectNone('B8', 'devices that it took besides', [...taken]);
    await page.close();
  });

  it('locks none and removes none after the selection has changed', async () => {
    const counts = async () =>
      (
        await db.query<Record<string, number>>(
          `select (select count(*)::int from lock) as locks, (select count(*)::int from device) as devices`,
        )
      ).rows[0];
    const before = await counts();
    const refused = async (page: Page) => {
      await page.getByText('selection_changed').waitFor();
      await page.close();
    };

    const locking = await chosen('site-8');
    await locking.getByRole('button', { name: 'Lock', exact: true }).click();
    await locking.getByText('5 devices', { exact: true }).waitFor();
    await locking.getByLabel('Reason').fill('a storm');
    await move('site-8', 1);
    await locking.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await refused(locking);

    const removing = await chosen('site-9');
    await removing.getByRole('button', { name: 'Remove', exact: true }).click();
    await removing.getByText('5 devices', { exact: true }).waitFor();
    await removing.getByLabel(/Type remove 5 devices/).fill('remove 5 devices');
    await move('site-9', 1);
    await removing.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await refused(removing);

    expectNone(
      'B8',
      'locks and removals after the selection had changed',
      JSON.stringify(await counts()) === JSON.stringify(before) ? [] : [JSON.stringify([before, await counts()])],
    );
  });

  it('takes what a search found, one by one', async () => {
    const page = await world.open('/devices?q=router-0012');
    await page.getByRole('link', { name: 'router-00120', exact: true }).waitFor();
    await page.getByRole('checkbox', { name: /Select all/ }).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByText('10 devices', { exact: true }).waitFor();
    await page.getByLabel('Add tags').fill('found');
    await page.getByRole('button', { name: 'Save tags' }).click();
    await page.getByText('Tags of 10 devices changed').waitFor();
    const names = Array.from({ length: 10 }, (_, at) => `router-0012${at}`);
    expectNone(
      'B8',
      'devices of a search that the action missed',
      (await tagged('found')).join() === names.join() ? [] : names,
    );
    await page.close();
  });

  it('exports exactly the devices that are chosen', async () => {
    const page = await chosen('site-11');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('5 devices', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save the file' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expect(
      lines
        .slice(1)
        .map((line) => line.split(',')[0])
        .toSorted((one = '', other = '') => one.localeCompare(other)),
    ).toEqual([11, 411, 811, 1211, 1611].map((n) => `router-${String(n).padStart(5, '0')}`));
    await page.close();
  });
});
