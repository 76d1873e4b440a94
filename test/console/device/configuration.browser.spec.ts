import { type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { faultsOf } from '../../support/console/faults.js';
import { expectNone } from '../../support/console/figures.js';
import { goTo } from '../../support/console/in-page.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';

/* The configuration of a device as a person reads and changes it. */

let world: ConsoleWorld;
let fleet: Fleet;
let device: string;
let page: Page;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  fleet = await startOwnFleet({ devices: 1, seed: 7 });
  const { baseUrl, username, password } = fleet.devices[0]!;
  const registered = { name: 'pump-1', baseUrl, credentials: { username, password } };
  ({ id: device } = await world.gateway.api.post<{ id: string }>('/v1/devices', registered));
  page = await world.open('/devices');
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

const at = (service: string) => goTo(page, `/devices/${device}?tab=configuration&service=${service}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const stored = async <Data>(path: string) =>
  (await world.gateway.api.get<{ data: Data }>(`/v1/devices/${device}${path}`)).data;

describe('the settings of a device', () => {
  beforeEach(() => at(''));

  it('show the key ones before one is chosen, each with its form', async () => {
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Key settings' }) });
    await card.getByText('192.168.1.1 / 255.255.255.0').waitFor();
    await expect.poll(() => card.getByRole('link', { name: 'Change' }).count()).toBeGreaterThan(3);
    await page.getByRole('link', { name: 'Static leases' }).click();
    await page.getByRole('heading', { name: 'Static leases' }).waitFor();
  });

  const focused = () =>
    page.evaluate(`[document.activeElement?.value, document.activeElement?.closest('[data-option]')?.dataset.option]`);

  it('open at the setting that a person wants to change, with the save bar in sight', async () => {
    await page.getByTitle('Change LAN address').click();
    await expect.poll(focused).toEqual(['192.168.1.1', 'ipaddr']);
    await page.getByText('options without a value').first().click();
    await page.locator('[data-option="ipaddr"] input').first().fill('192.168.9.1');
    const bar = page.getByRole('group', { name: 'Change that is not saved' });
    await bar.getByRole('button', { name: 'Save 1 change' }).waitFor();
    await page.evaluate(`document.querySelector('[data-option="ipaddr"]').scrollIntoView({ block: 'start' })`);
    const box = (await bar.boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(page.viewportSize()!.height);
    await bar.getByRole('button', { name: 'Discard' }).click();
    await bar.waitFor({ state: 'detached' });
  });

  it('are found one by one with their values, and open at the one that is chosen', async () => {
    await page.getByLabel('Find a setting').fill('lease time');
    const found = page.getByRole('list', { name: 'Found settings' });
    await found.getByRole('link', { name: /^DHCP servers › LAN › Lease time · 12h$/i }).click();
    await expect.poll(focused).toEqual(['12h', 'leasetime']);
  });

  it('stand in the menus of a router, under titles, and are found by words', async () => {
    const tree = page.getByRole('navigation', { name: 'Settings of the device' });
    await tree.getByRole('heading', { level: 3 }).first().waitFor();
    await expect
      .poll(() => tree.getByRole('heading', { level: 3 }).allInnerTexts())
      .toEqual(['Network', 'Services', 'System']);
    await tree.getByText('DHCP', { exact: true }).click();
    await tree.getByRole('link', { name: 'DHCP servers' }).click();
    await page.getByRole('heading', { level: 2, name: 'DHCP servers' }).waitFor();
    await page.getByLabel('First address').first().waitFor();
    await page.getByText('Network › DHCP').waitFor();
    await page.getByLabel('Find a setting').fill('ssid');
    await tree.getByRole('link', { name: 'Wireless networks' }).waitFor();
    await expect.poll(() => tree.getByRole('link').allInnerTexts()).not.toContain('Zones');
    await page.getByLabel('Find a setting').fill('');
    await tree.getByRole('link', { name: 'Wireless networks' }).waitFor({ state: 'hidden' }); // what was found is folded again
    await expect.poll(() => new URL(page.url()).searchParams.get('services')).toBeNull(); // then nothing folds any more
    await tree.getByText('Interfaces', { exact: true }).first().click();
    await tree.getByRole('link', { name: 'LAN', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'LAN' }).waitFor();
    await page.getByLabel('Side').waitFor();
    await expect.poll(() => page.locator('main details summary').filter({ hasText: 'wan' }).count()).toBe(0);
    expectNone('B4', 'faults of the configuration', await faultsOf(page, 'configuration'));
  });
});

it('titles its sections in words, sums them up, and draws what is on or off as a switch', async () => {
  await at('/api/interfaces/config');
  const rows = page.locator('main summary').filter({ hasNotText: 'without a value' });
  await rows.getByText('192.168.1.1/24 · Static · DHCP server on').waitFor();
  await expect.poll(() => rows.locator('strong').allInnerTexts()).toContain('Mobile, SIM 1');
  await expect.poll(() => page.locator('main').innerText()).not.toMatch(/mob1s1a1|\/api\//);
  await rows.filter({ hasText: 'WAN (IPv6)' }).click();
  const form = page.locator('main details[open]:has(> summary strong)');
  const isOn = form.getByRole('switch', { name: 'On', exact: true });
  await expect.poll(() => isOn.isChecked()).toBe(true);
  await isOn.click();
  const difference = page.getByRole('region', { name: 'What saving changes' });
  await expect.poll(() => difference.locator('tbody td').allInnerTexts()).toEqual(['On', 'On', 'Off']);
  await press('Discard');
  await expect.poll(() => isOn.isChecked()).toBe(true);
  expectNone('B4', 'faults of sections', await faultsOf(page, 'sections'));
});

it('says at the field what is wrong as it is typed, and what the device refused', async () => {
  await at('/api/firewall/zones/config');
  await page.locator('main summary').filter({ hasText: 'hotspot' }).click();
  const name = page.locator('main details[open]').getByLabel('Name');
  await name.fill('a name that is too long');
  await press('Save 1 change');
  await page.getByText('The device refused this: The value is not valid (code 103).').waitFor();
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('guests');
  await page.getByText('The device refused this').waitFor({ state: 'detached' });
  await press('Save 1 change');
  await page.getByText('The device took the changes').first().waitFor();
  await expect
    .poll(() => stored<{ id: string; name: string }[]>('/api/firewall/zones/config'))
    .toContainEqual(expect.objectContaining({ id: '2', name: 'guests' }));

  await at('/api/ntp/global');
  await page.getByLabel('Set the clock every').fill('5');
  await page.getByText('This is not a whole number from 10 to 86,400.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Save 1 change' }).isDisabled()).toBe(true);
  await press('Discard');
});

it('adds a section after what is needed was typed, and removes it after its name', async () => {
  await at('/api/firewall/port_forwards/config');
  await press('Add port forward');
  const form = page.getByRole('region', { name: 'New port forward' });
  await form.getByText('Still needed: Name, Port outside, To address.').waitFor();
  await form.getByLabel('Name').fill('camera');
  await form.getByLabel('Port outside').fill('70000');
  await form.getByText('This is not a port from 1 to 65,535.').waitFor();
  await form.getByLabel('Port outside').fill('8080');
  await form.getByLabel('To address').fill('192.168.1.20');
  await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
  await press('Keep editing');
  const added = form.getByRole('region', { name: 'What is added' });
  await expect.poll(() => added.locator('tbody tr').count()).toBe(3);
  expectNone('B4', 'faults of a new section', await faultsOf(page, 'new section'));
  await press('Add port forward');
  await page.getByText('The device has the new port forward').waitFor();
  const summary = page.locator('main summary').filter({ hasText: 'camera' });
  await summary.waitFor();
  const path = '/api/firewall/port_forwards/config';
  await expect
    .poll(() => stored<object[]>(path))
    .toMatchObject([{ name: 'camera', src_dport: '8080', dest_ip: '192.168.1.20' }]);

  await press('Remove this port forward');
  const dialog = page.getByRole('dialog', { name: 'Remove the port forward camera' });
  await expect.poll(() => dialog.innerText()).toContain('8080');
  const remove = dialog.getByRole('button', { name: 'Remove port forward' });
  await expect.poll(() => remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Type pump-1 to confirm').fill('pump-1');
  await remove.click();
  await page.getByText('The port forward is removed from the device').waitFor();
  await page.getByText('There is no port forward yet.').waitFor();
  await expect.poll(() => stored<object[]>(path)).toEqual([]);
});

it('changes a list row by row, and asks before the rows are lost', async () => {
  await at('/api/interfaces/config');
  await page.locator('main summary').filter({ hasText: 'lan' }).first().click();
  const form = page.locator('main details[open]:has(> summary strong)');
  await form.locator('summary').filter({ hasText: 'without a value' }).click();
  const servers = form.getByRole('group', { name: 'DNS servers' });
  await servers.getByRole('textbox', { name: 'row 1' }).fill('9.9.9.9');
  await servers.getByRole('button', { name: 'Add a row' }).click();
  await page.keyboard.type('one');
  await servers.getByText('one: This is not an IPv4 address, such as 192.168.1.1.').waitFor();
  await servers.getByRole('textbox', { name: 'row 2' }).fill('1.1.1.1');
  const difference = page.getByRole('region', { name: 'What saving changes' });
  await difference.getByText('9.9.9.9, 1.1.1.1').waitFor();
  await page.getByRole('link', { name: 'Audit', exact: true }).first().click();
  await press('Keep editing');
  await servers.getByRole('button', { name: 'Remove row 1 of DNS servers' }).click();
  await press('Save 1 change');
  await page.getByText('The device took the changes').first().waitFor();
  const interfaces = await stored<{ id: string; dns?: string[] }[]>('/api/interfaces/config');
  expect(interfaces.find(({ id }) => id === 'lan')?.dns).toEqual(['1.1.1.1']);
});

describe('the API of a device', () => {
  const api = (method: string, path: string) =>
    goTo(page, `/devices/${device}?tab=api&method=${method}&path=${encodeURIComponent(path)}`);

  it('keeps what was typed when another method is looked at', async () => {
    await api('PUT', '/api/ntp/global');
    const body = page.getByLabel('Body as JSON');
    await body.fill('{"data":{"interval":"600"}}');
    await page.getByLabel('Method').selectOption('GET');
    await body.waitFor({ state: 'detached' });
    await page.getByLabel('Method').selectOption('PUT');
    await expect.poll(() => body.inputValue()).toBe('{"data":{"interval":"600"}}');
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
    await press('Keep editing');
    await press('Send PUT to the device');
    await page.getByText('The device answered 200').waitFor();
    await page.getByRole('link', { name: 'Audit', exact: true }).first().click();
    await body.waitFor({ state: 'detached' }); // nothing is unsaved any more
  });

  it('folds its operations and an answer, and finds a part of it', async () => {
    await api('GET', '/api/firewall/zones/config');
    const operations = page.getByRole('navigation', { name: 'Operations of the device' });
    await operations
      .getByRole('link', { name: /firewall\/zones/ })
      .first()
      .waitFor();
    await expect.poll(() => operations.getByRole('link', { name: /wireguard/ }).count()).toBe(0);
    const groups = operations.locator('summary');
    await groups.filter({ hasText: /^Access control \d+$/ }).waitFor();
    await groups.filter({ hasText: /^WireGuard \d+$/ }).waitFor();
    await expect.poll(() => operations.innerText()).not.toContain('access_control');
    await press('Send');
    const answer = page.getByRole('region', { name: 'Answer of the device' });
    await answer.getByText('success').waitFor();
    await page.getByLabel('Find in the answer').fill('mob1s1a1');
    await answer.getByText('"mob1s1a1"').waitFor();
    await expect.poll(() => answer.innerText()).not.toContain('"lan"');
    expectNone('B4', 'faults of a folded answer', await faultsOf(page, 'answer'));
  });

  it('names a request that got no answer', async () => {
    await api('PUT', '/api/ntp/global');
    let sent: string | undefined;
    const path = '**/api/ntp/global';
    await page.route(path, (route) => {
      sent = route.request().headers()['x-request-id'];
      return route.abort();
    });
    await press('Send PUT to the device');
    const alert = page.getByRole('alert').filter({ hasText: 'The gateway cannot be reached' });
    await alert.waitFor();
    expect(sent).toMatch(/^[0-9a-f]{32}$/);
    await expect.poll(() => alert.innerText()).toContain(sent);
    await page.unroute(path);
  });
});
