import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { Caller } from '../../simulator/caller.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { goTo } from '../../support/console/in-page.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { until } from '../../support/until.js';

/* What the fleet has: a watch that a person makes, what it found, and what a device changed behind our back. */

const TIME = '/api/ntp/servers/config';
const ODD = 'odd.example';

let world: ConsoleWorld;
let fleet: Fleet;
let page: Page;
const ids: string[] = [];

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 3, family: 'RUTX50', profile: 'rutos', seed: 5, timeScale: 1 });
  world = await startConsoleWorld({ ROLE: 'api' });
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = { name: `r-${index}`, baseUrl, credentials: { username, password } };
    ids.push((await world.gateway.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  await writeBehind(2, ODD);
  page = await world.open('/configuration');
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

async function writeBehind(index: number, hostname: string): Promise<void> {
  const caller = await new Caller(fleet.devices[index]!).login();
  const { body } = await caller.send('PUT', `${TIME}/1`, { body: { data: { hostname } } });
  expect(body).toMatchObject({ success: true });
}

async function chooseFromMenu(of: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${of}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

it('says what to do while nothing was read', async () => {
  await goTo(page, '/configuration?path=/api/users/config');
  await page.getByRole('heading', { name: 'No device was read at System › Users' }).waitFor();
  await page.locator('main').getByRole('link', { name: 'Open the watches' }).click();
  await page.getByRole('row').filter({ hasText: 'accounts' }).waitFor();
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'Off' }).count()).toBe(3);
});

it('makes a watch with its price, and reads its devices now', async () => {
  await goTo(page, '/configuration?tab=watches');
  await page.getByRole('button', { name: 'New watch' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('time');
  await form.getByRole('button', { name: 'All devices', exact: true }).click();
  await form.getByText('Other paths', { exact: true }).click();
  await form.getByLabel('Paths', { exact: true }).fill(`${TIME}\n`);
  await form.getByText(/3 devices: .*B a month/).waitFor();
  await form.getByRole('button', { name: 'Create watch' }).click();
  await page.getByText('Watch created; it reads in your name').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'Time servers' });
  await row.waitFor();
  await chooseFromMenu('time', 'Read now');
  await page.getByText('3 devices will be read as soon as the load allows').waitFor();
  const groups = () => world.gateway.api.get<{ unread: number; devices: number }>(`/v1/observed?path=${TIME}`);
  await until(async () => (await groups()).unread === 0);
  await expect.poll(() => groups()).toMatchObject({ devices: 3 });
});

it('turns on a watch that is off, with what it is for and its price', async () => {
  await goTo(page, '/configuration?tab=watches');
  await page.getByRole('button', { name: 'Turn on accounts' }).click();
  const question = page.getByRole('dialog');
  await question.getByText(/^Which account exists where, in which group\. It reads /).waitFor();
  await question.getByText(/3 devices: .*B a month/).waitFor();
  await question.getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('The watch is changed; it reads in your name').waitFor();
  await expect.poll(() => page.getByRole('row').filter({ hasText: 'Off' }).count()).toBe(2);
});

it('refuses a path that is no configuration, at the form', async () => {
  await goTo(page, '/configuration?tab=watches');
  await page.getByRole('button', { name: 'New watch' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name', { exact: true }).fill('status');
  await form.getByRole('button', { name: 'All devices', exact: true }).click();
  await form.getByText('Other paths', { exact: true }).click();
  await form.getByLabel('Paths', { exact: true }).fill('/api/system/device/status');
  await form.getByText(/a status differs at each read/).waitFor();
  await expect.poll(() => form.getByRole('button', { name: 'Create watch' }).isDisabled()).toBe(true);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^(Leave|Discard)/ }).click();
});

describe('the groups', () => {
  it('show what most have, and each other value against it', async () => {
    await goTo(page, `/configuration?path=${TIME}`);
    const groups = page.getByRole('region', { name: 'Routers that are set alike' });
    await groups.getByRole('row').filter({ hasText: 'Baseline' }).first().getByText('0.pool.ntp.org').waitFor();
    const other = groups.getByRole('row').filter({ hasText: ODD });
    await other.getByText('Different').waitFor();
    await expect.poll(() => other.locator('[data-side=one]').allTextContents()).toEqual(['0.pool.ntp.org']);
    await page.getByRole('link', { name: 'Table' }).click();
    const odd = page.getByRole('region', { name: 'What differs from most' });
    await odd.getByText('most: 0.pool.ntp.org').waitFor();
    await expect.poll(() => odd.getByRole('link').allTextContents()).toEqual(['r-2']);
    await page.getByRole('link', { name: 'Watches' }).click();
    await page.getByRole('row').filter({ hasText: 'Time servers' }).getByText('1 differs').waitFor();
  });

  it('lead to a template of what most have', async () => {
    await goTo(page, `/configuration?path=${TIME}`);
    await page.getByRole('button', { name: 'Make a template of the baseline' }).click();
    await page.getByRole('heading', { level: 1, name: 'Copy settings from routers' }).waitFor();
    await expect.poll(() => page.getByLabel('System › Time servers').isChecked()).toBe(true);
    await expect.poll(() => page.getByLabel('Selector').inputValue()).toMatch(/^id=/);
  });

  it('say what makes one differ, and compare it option by option', async () => {
    await goTo(page, `/configuration?path=${TIME}`);
    await page.getByRole('heading', { name: '2 the same, 1 different' }).waitFor();
    const row = page.getByRole('row').filter({ hasText: ODD });
    await row.getByRole('button', { name: /^Compare/ }).click();
    const table = page.getByRole('region', { name: 'What differs between two groups' });
    await table.getByRole('cell', { name: ODD }).waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    await page.reload();
    await table.waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
    await table.waitFor({ state: 'detached' });
  });

  it('lead to their devices and to the values of them', async () => {
    const row = page.getByRole('row').filter({ hasText: ODD });
    await row.getByRole('button', { name: /^Actions for group/ }).click();
    await page.getByRole('menuitem', { name: 'Show their values' }).click();
    const values = page.getByRole('region', { name: 'Sections of System › Time servers' });
    await values.getByText(ODD).waitFor();
    await page.getByRole('button', { name: 'Show every device' }).click();
    await values.getByRole('link', { name: 'r-2' }).first().waitFor();
    await expect.poll(() => values.getByRole('link', { name: 'r-2' }).count()).toBe(2);
    await expect.poll(() => values.getByRole('link', { name: 'r-0' }).count()).toBe(0);
    await values.getByRole('columnheader', { name: 'Host name' }).waitFor();
    await page.getByRole('button', { name: 'Columns', exact: true }).click();
    await expect.poll(() => page.getByRole('checkbox', { name: 'Host name', exact: true }).isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await goTo(page, `/configuration?path=${TIME}`);
    await page.getByRole('row').filter({ hasText: ODD }).getByRole('link', { name: '1', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await page.getByRole('link', { name: 'r-2' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'r-0' }).count()).toBe(0);
  });
});

describe('a device', () => {
  it('shows what was changed by us and what behind our back', async () => {
    await world.gateway.api.send('PUT', `/v1/devices/${ids[0]}${TIME}/1`, { data: { hostname: 'ours.example' } });
    await goTo(page, `/devices/${ids[0]}?tab=history`);
    await page.getByRole('button', { name: 'Read now' }).click();
    const changes = page.getByRole('region', { name: 'Changes of the configuration' });
    await changes.getByTitle('Through the gateway').waitFor();
    await writeBehind(0, 'theirs.example');
    await page.getByRole('button', { name: 'Read now' }).click();
    await changes.getByText('On the device itself').waitFor();
    await changes.getByText('theirs.example', { exact: true }).waitFor();
    await expect.poll(() => changes.locator('[data-side=one]').first().textContent()).toBe('ours.example');
    await changes
      .getByRole('row')
      .filter({ hasText: 'On the device itself' })
      .getByRole('link', { name: 'Compare' })
      .click();
    const table = page.getByRole('region', { name: 'What differs between two groups' });
    await table.getByRole('cell', { name: 'theirs.example' }).waitFor();
    await expect.poll(() => table.getByRole('cell', { name: 'ours.example' }).count()).toBe(1);
  });

  it('has its changes in the list of all devices, which is narrowed by devices and time', async () => {
    await goTo(page, '/configuration?tab=changes');
    const changes = page.getByRole('region', { name: 'Changes on all devices' });
    const row = changes.getByRole('row').filter({ hasText: 'On the device itself' }).first();
    await row.getByRole('link', { name: 'r-0', exact: true }).waitFor();
    await row.getByText('theirs.example', { exact: true }).waitFor();
    await page.getByLabel('When').selectOption('24');
    await row.waitFor();
    await goTo(page, '/configuration?tab=changes&selector=name%3Dr-2');
    await expect.poll(() => changes.getByRole('link', { name: 'r-0', exact: true }).count()).toBe(0);
  });

  it('says what a watch would show, where none has read it', async () => {
    const { id } = await world.gateway.api.post<{ id: string }>('/v1/devices', {
      name: 'new',
      baseUrl: 'https://127.0.0.1:9',
    });
    await goTo(page, `/devices/${id}?tab=history`);
    await page.getByRole('heading', { name: 'No watch has read this device' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Read now' }).isEnabled()).toBe(true);
  });
});

it('removes a watch after its name was typed', async () => {
  await goTo(page, '/configuration?tab=watches');
  await chooseFromMenu('time', 'Remove');
  await page.getByLabel('Type time to confirm').fill('time');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Watch removed').waitFor();
  const { items } = await world.gateway.api.get<{ items: readonly { name: string }[] }>('/v1/watches');
  expect(items.map(({ name }) => name)).not.toContain('time');
});
