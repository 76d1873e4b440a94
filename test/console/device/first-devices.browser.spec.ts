import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { faultsOf } from '../../support/console/faults.js';
import { expectNone } from '../../support/console/figures.js';
import { goTo } from '../../support/console/in-page.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { type Fleet } from '../../../src/simulator/fleet.js';

/* An installation without devices, and how the first ones are added. The tests build on each other. */

let world: ConsoleWorld;
let fleet: Fleet;

beforeAll(async () => {
  world = await startConsoleWorld();
  fleet = await startOwnFleet({ devices: 3, seed: 7, timeScale: 600 });
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

/** An address without its scheme, as people type it. */
const bare = (at: number) => fleet.devices[at]!.baseUrl.replace('https://', '');

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

it('registers one device by its bare address, and says what it found there', async () => {
  const { username, password, serial } = fleet.devices[0]!;
  const page = await world.open('/devices?add=one');
  const dialog = page.getByRole('dialog');
  const field = (name: string) => dialog.getByLabel(name, { exact: true });
  await field('Name').fill('pump-1');
  await field('Address').fill('192.0.2');
  await dialog.getByText('An IP address has four numbers, such as 192.0.2.7.').waitFor();
  await dialog.getByText('Still missing: an address that can be read').waitFor();
  await field('Address').fill(bare(0));
  await dialog.getByText(`The gateway reaches it at https://${bare(0)}`).waitFor();
  await field('Site').fill('north');
  await field('User name on the device').fill(username);
  await field('Password on the device').fill(password);
  await dialog.getByRole('button', { name: 'Register the device' }).click();
  await dialog.getByText('pump-1 is registered.').waitFor();
  await dialog.getByText(serial).waitFor();
  await dialog.getByText('Online').waitFor();
  await dialog.getByText('Fingerprint', { exact: true }).waitFor();
  expectNone('B4', 'what axe finds on a device that was found', await faultsOf(page, 'found device'));

  await dialog.getByRole('button', { name: 'Add another' }).click();
  expect(await field('Site').inputValue()).toBe('north');
  await field('Name').fill('PUMP-1');
  await dialog.getByText('Another device has this name already.').waitFor();
  await field('Address').fill(bare(0));
  await dialog.getByText('pump-1 has this address already.').waitFor();
  await field('Name').fill('pump-2');
  await field('Address').fill(bare(1));
  await field('Password on the device').fill('not the password');
  await dialog.getByRole('button', { name: 'Register the device' }).click();
  await dialog.getByText('It refuses the login.').waitFor();
  await dialog.getByRole('button', { name: 'Open device' }).click();
  await page.getByRole('heading', { level: 1, name: 'pump-2' }).waitFor();
  await goTo(page, '/');
  await page.getByRole('list', { name: 'Your devices' }).getByRole('link', { name: 'pump-1' }).waitFor();
  await page.close();
});

it('searches networks, chooses what can be registered, and says why not of the others', async () => {
  const [hosts, port] = [
    fleet.devices.map(({ baseUrl }) => new URL(baseUrl).hostname),
    new URL(fleet.devices[0]!.baseUrl).port,
  ];
  const page = await world.open('/devices?add=search');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Networks').fill(hosts.join(', '));
  await dialog.getByLabel('Ports').fill('9');
  await dialog.getByRole('button', { name: 'Search', exact: true }).click();
  await dialog.getByText('3 addresses asked, no device answered.').waitFor();
  await dialog.getByText('No device was found.').waitFor();
  await dialog.getByRole('button', { name: 'Search again' }).click();
  expect(await dialog.getByLabel('Networks').inputValue()).toContain(hosts[0]);
  await dialog.getByLabel('Ports').fill(port);
  await dialog.getByRole('button', { name: 'Search', exact: true }).click();
  await dialog.getByText('3 addresses asked, 3 devices answered, 2 of them are registered already.').waitFor();
  await dialog.getByText('registered at this address').first().waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(1);
  expectNone('B4', 'what axe finds on what a search found', await faultsOf(page, 'found devices'));
  const choice = dialog.getByRole('checkbox');
  await choice.uncheck();
  expect(await dialog.getByRole('button', { name: 'Choose devices to register' }).isDisabled()).toBe(true);
  await choice.check();
  await dialog.getByRole('button', { name: 'Register 1 device' }).click();
  await page.getByText('1 of 1 device registered').waitFor();
  await dialog.getByText('all of them are registered already').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: /^Register|^Choose/ }).count()).toBe(0);
  await page.close();
});
