import { buffer } from 'node:stream/consumers';
import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { startRealFleet, type RealFleet } from '../support/console/real-fleet.js';
import { until } from '../support/until.js';

/* One call to many devices: its preview, its grid while it runs, its table, and the retry. */

const WRITE = '/api/system/actions/reboot';
const DEVICES = 5;

let world: ConsoleWorld;
let real: RealFleet;

beforeAll(async () => {
  world = await startConsoleWorld();
  real = await startRealFleet(world.gateway);
});
afterEach(async () => {
  for (const device of real.fleet.devices) device.faults.clear();
  await real.fleet.devices[1]!.start();
});
afterAll(async () => {
  await real?.fleet.close();
  await world.close();
});

const stored = async () => (await world.gateway.api.get<{ items: unknown[] }>('/v1/fan-outs')).items.length;
const grid = (page: Page) => page.getByRole('img', { name: /with an outcome$/ }).locator('i');
const cells = (page: Page, tone: string) =>
  grid(page)
    .and(page.locator(`[data-tone=${tone}]`))
    .count();
const open = (path: string, method = 'GET') =>
  world.open(`/fan-outs/new?selector=tag%3Apump&method=${method}&path=${encodeURIComponent(path)}`);

describe('a fan-out', () => {
  it('shows which devices it leaves out and why, and calls none after the selection has changed', async () => {
    const before = await stored();
    await world.gateway.api.post('/v1/locks', { kind: 'device', target: real.ids[3], reason: 'a storm' });
    await world.gateway.api.post('/v1/locks', { kind: 'selector', target: 'tag:kiosk', reason: 'of others' });
    const writing = await open('/api/ntp/global', 'PUT');
    await writing.getByText('4 devices', { exact: true }).waitFor();
    await writing.getByText(/^1 left out, because it is locked: router-4 \(a storm, by [^;]+\)$/).waitFor();
    const { items } = await world.gateway.api.get<{ items: { id: string }[] }>('/v1/locks');
    for (const { id } of items) await world.gateway.api.send('DELETE', `/v1/locks/${id}`);
    await writing.close();

    const page = await open('/api/system/device/status');
    await page.getByText('5 devices', { exact: true }).waitFor();
    const tags = (list: string[]) => world.gateway.api.send('PATCH', `/v1/devices/${real.ids[0]}`, { tags: list });
    await tags([]);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('[data-code=selection_changed]').waitFor();
    await tags(['pump']);
    expectNone('B8', 'fan-outs after the selection had changed', (await stored()) === before ? [] : ['a fan-out']);
    await page.close();
  });

  it('fills its grid while devices answer, says the same in its table, and calls the others again', async () => {
    await real.fleet.devices[1]!.stop();
    for (const device of real.fleet.devices)
      device.faults.add({ kind: 'latency', path: '/api/system/device/status', ms: 1_500 });
    const page = await open('/api/system/device/status');
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(/\/fan-outs\/[0-9a-f-]{36}$/);
    await page.getByRole('link', { name: 'Outcomes', exact: true }).click();
    await grid(page).first().waitFor();
    await expect.poll(() => grid(page).count()).toBe(DEVICES);
    await until(async () => (await cells(page, 'good')) === DEVICES - 1);
    await until(async () => (await cells(page, 'warn')) === 1);
    await expect.poll(() => cells(page, 'none')).toBe(0);

    await page.getByRole('link', { name: 'router-2', exact: true }).first().waitFor();
    await page.getByRole('link', { name: /Unreachable 1/ }).click();
    await page.getByRole('heading', { name: 'Devices: unreachable' }).waitFor();
    const rows = page.getByRole('region', { name: 'Devices of the bulk query' }).locator('tbody tr');
    await until(async () => (await rows.count()) === 1);
    await expect.poll(() => rows.first().textContent()).toContain('router-2');

    await real.fleet.devices[1]!.start();
    const first = page.url();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.waitForURL((url) => url.href !== first && /fan-outs\/[0-9a-f-]{36}$/.test(url.pathname));
    await page.getByRole('link', { name: 'Outcomes', exact: true }).click();
    await until(async () => (await cells(page, 'good')) === 1);
    await expect.poll(() => grid(page).count()).toBe(1);
    await page.close();
  });

  it('asks for the path before it interrupts many devices', async () => {
    const before = await stored();
    const page = await open(WRITE, 'POST');
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send POST to the devices' }).click();
    const send = page.getByRole('dialog').getByRole('button', { name: 'Send POST' });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await page.getByLabel(`Type ${WRITE} to confirm`).fill(WRITE);
    await expect.poll(() => send.isEnabled()).toBe(true);
    expect(await stored()).toBe(before);
    await page.close();
  });

  it('shows the fields of the answers as columns, groups by one, and saves them; a call is tried on one device first', async () => {
    const page = await open('/api/system/device/status');
    await page.getByText('5 devices', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Try it on router-\d first$/ }).click();
    await page.getByText(/^router-\d answered with status 200/).waitFor();
    await page.getByText(/5 such answers are about \d/).waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.waitForURL(/\/fan-outs\/[0-9a-f-]{36}$/);
    await page.locator('.mark', { hasText: 'Ended' }).first().waitFor();
    const table = page.getByRole('region', { name: 'Answers of the devices' });
    await until(async () => (await table.locator('tbody tr').count()) === DEVICES);
    await page.getByText(/^\d (?:alike|groups of \d|different answers)/).waitFor();
    await page.getByRole('button', { name: 'Fields', exact: true }).click();
    await page.getByRole('checkbox', { name: /^Firmware version/ }).check();
    await table.getByRole('columnheader', { name: 'Firmware version' }).waitFor();
    const names = async () => (await table.locator('tbody td:first-child').allInnerTexts()).map((text) => text.trim());
    const byDevice = table.getByRole('columnheader', { name: 'Device' });
    await expect.poll(() => byDevice.getAttribute('aria-sort')).toBe('ascending');
    const ascending = await names();
    await byDevice.getByRole('button').click();
    await expect.poll(() => byDevice.getAttribute('aria-sort')).toBe('descending');
    expect(await names()).toEqual(ascending.toReversed());
    await byDevice.getByRole('button').click();
    await expect.poll(() => byDevice.getAttribute('aria-sort')).toBe('ascending');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const csv = await buffer(await (await saved).createReadStream());
    expect(csv.toString().split('\r\n')).toHaveLength(DEVICES + 2);
    expect(csv.toString().split('\r\n')[0]).toContain('static.fw_version');
    await page.getByLabel('Group by').selectOption('static.fw_version');
    const groups = page.getByRole('region', { name: 'Devices by Firmware version' });
    await until(async () => (await groups.locator('tbody tr').count()) > 0);

    await page.getByRole('link', { name: 'Outcomes' }).click();
    await page
      .getByRole('region', { name: 'Devices of the bulk query' })
      .getByRole('link', { name: 'Open' })
      .first()
      .click();
    const panel = page.getByRole('complementary', { name: /^router-\d · 200 · [\d,]+ ms · [\d.]+ kB$/ });
    await panel.getByText('Serial number', { exact: true }).waitFor();
    const before = await panel.getAttribute('aria-label');
    await page.keyboard.press('j');
    await expect.poll(() => panel.getAttribute('aria-label')).not.toBe(before);
    await page.keyboard.press('k');
    await expect.poll(() => panel.getAttribute('aria-label')).toBe(before);
    await panel.getByRole('button', { name: 'JSON', exact: true }).click();
    await panel.getByRole('region', { name: 'Answer' }).getByText('mnfinfo').waitFor();
    await panel.getByRole('link', { name: 'Open the device' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    await page
      .getByText(/^Status 200 · [\d,]+ bytes · such as router-\d/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Ask again', exact: true }).click();
    await page.waitForURL(/\/fan-outs\/new\?.*method=GET/);
    await expect.poll(() => page.getByLabel('Selector').inputValue()).toBe('tag:pump');
    await page.goto(`${world.gateway.url}/console/fan-outs/new`);
    const asked = (group: string) => page.getByRole('group', { name: group }).getByRole('option');
    await asked('Last calls').first().click();
    await expect.poll(() => page.getByLabel('Selector').inputValue()).toBe('tag:pump');
    await page.getByRole('button', { name: 'Keep as a favourite' }).click();
    await page.getByRole('button', { name: 'Ask something else' }).click();
    await expect.poll(() => asked('Favourites').allInnerTexts()).toEqual(['Model and serial number\ntag:pump']);
    await page.keyboard.press('Escape');
    await page.getByText('Model and serial number', { exact: true }).waitFor();
    await page.close();
  });

  it('finds what is asked by its words and by keys, and takes any call under “Advanced”', async () => {
    const page = await world.open('/fan-outs/new');
    const ask = page.getByRole('combobox', { name: 'What do you want to ask?' });
    await ask.fill('dhcp leases');
    const found = page.getByRole('listbox', { name: 'What can be asked' }).getByRole('option');
    await expect.poll(() => found.first().innerText()).toContain('DHCP leases');
    await ask.press('ArrowDown');
    await expect.poll(() => found.nth(1).getAttribute('aria-selected')).toBe('true');
    await ask.fill('clock');
    await ask.press('Enter');
    await page.getByText('Settings: System › Clock', { exact: true }).waitFor();
    const all = page.getByRole('group', { name: 'Devices by one click' }).getByRole('button', { name: 'All devices' });
    await all.click();
    await page
      .getByText('Settings: System › Clock: asked once of each of 5 devices, 5 calls in all; it only reads.')
      .waitFor();
    await page.getByText('Advanced: any call of the device’s API').click();
    await expect.poll(() => page.getByLabel('Path').inputValue()).toBe('/api/ntp/global');
    await page.getByLabel('Path').fill('/api/dhcp/leases/ipv4/status');
    await page.getByText('DHCP leases', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask something else' }).click();
    await ask.fill('no such words');
    await page.getByText(/^Nothing has these words/).waitFor();
    await page.close();
  });
});
