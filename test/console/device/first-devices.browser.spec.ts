import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { faultsOf } from '../../support/console/faults.js';
import { expectNone } from '../../support/console/figures.js';
import { goTo } from '../../support/console/in-page.js';

/* An installation without devices, and how the first ones are added. The tests build on each other. */

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world.close());

it('begins with three ways to add devices and the steps of the first days, each with a link to its form', async () => {
  const page = await world.open('/');
  await page.getByRole('heading', { level: 1, name: 'Welcome to Fleetgate' }).waitFor();
  const ways = page.getByRole('list', { name: 'Ways to add devices' });
  expect(await ways.getByRole('listitem').count()).toBe(3);
  await page.getByRole('button', { name: /Setup \d of 6/ }).waitFor();
  const backup = page.getByRole('listitem').filter({ hasText: 'Make the first backup' });
  await backup.getByText('Needs a device').waitFor();
  expectNone('B4', 'what axe finds on the welcome', await faultsOf(page, 'welcome'));
  await page.getByRole('link', { name: 'New policy' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await goTo(page, '/devices');
  await ways.getByRole('link', { name: 'Search networks' }).click();
  await page.getByRole('dialog').getByLabel('Networks').waitFor();
  await page.close();
});
