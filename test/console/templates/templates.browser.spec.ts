import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet } from '../../../src/simulator/fleet.js';
import { TemplateStateSweeper } from '../../../src/templates/states/template-state.sweeper.js';
import { Caller } from '../../simulator/caller.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { goTo } from '../../support/console/in-page.js';
import { startOwnFleet } from '../../support/devices/own-fleet.js';
import { until } from '../../support/until.js';
import { typeSelector } from '../../support/console/typed-selector.js';

/* What the fleet should have: a template from its draft to the devices that are put back. */

const TIME = '/api/ntp/servers/config';
const WANTED = 'time.example';
const ODD = 'odd.example';

/** A name for each attempt of a test that makes a template. */
let attempts = 0;

let world: ConsoleWorld;
let fleet: Fleet;
let page: Page;
const ids: string[] = [];

beforeAll(async () => {
  fleet = await startOwnFleet({ devices: 3, family: 'RUTX50', profile: 'rutos', seed: 5, timeScale: 600 });
  world = await startConsoleWorld();
  for (const { index, baseUrl, username, password } of fleet.devices) {
    const device = { name: `r-${index}`, baseUrl, credentials: { username, password } };
    ids.push((await world.gateway.api.post<{ id: string }>('/v1/devices', device)).id);
  }
  const { api } = world.gateway;
  await api.post('/v1/watches', { name: 'time', selector: 'all', paths: [TIME] });
  await api.post('/v1/watches/time/run', {});
  await until(async () => (await api.get<{ devices: number }>(`/v1/observed?path=${TIME}`)).devices === 3);
  page = await world.open('/templates');
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

/** Changes a device behind the back of the gateway, and lets the gateway see it. */
async function write(index: number, hostname: string): Promise<void> {
  const caller = await new Caller(fleet.devices[index]!).login();
  const { body } = await caller.send('PUT', `${TIME}/1`, { body: { data: { hostname } } });
  expect(body).toMatchObject({ success: true });
  await see();
}

async function see(): Promise<void> {
  for (const id of ids) await world.gateway.api.get(`/v1/devices/${id}/observed?fresh=true`);
  await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
}

interface Template {
  readonly sync: Readonly<Record<string, number>>;
  readonly publishedNumber: number | null;
}

const template = () => world.gateway.api.get<Template>('/v1/templates/base');
const dialog = () => page.locator('dialog[open]');
const send = (name: string) => dialog().getByRole('button', { name, exact: true });
const table = (name: string) => page.getByRole('region', { name });

it('says what a template is, where there is none', async () => {
  await page.getByRole('heading', { name: 'No template yet' }).waitFor();
  await page.getByText('Do this from a shell').click();
  await page.getByText('fleetgate template add base -f base.yaml').waitFor();
  await page.getByRole('button', { name: 'New template' }).click();
  await page.getByRole('heading', { level: 1, name: 'New template' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Make the draft' }).isDisabled()).toBe(true);
});

it('shows a draft in words, and what it would change', async () => {
  await world.gateway.api.post('/v1/templates', {
    name: 'base',
    selector: 'all',
    items: [{ path: TIME, key: { id: '1' }, options: { hostname: WANTED } }],
  });
  await goTo(page, '/templates');
  await table('Templates').getByText('Draft only').waitFor();
  await table('Templates').getByRole('link', { name: 'base' }).click();
  const row = table('What the template says').getByRole('row').filter({ hasText: 'Time › Server 1' });
  await row.getByText('Host name').waitFor();
  await row.getByText(WANTED).waitFor();
  await page.getByRole('link', { name: 'Plan', exact: true }).click();
  await page.getByText('devices would change').waitFor();
  const changes = table('What would change');
  await changes.getByText('3 devices').waitFor();
  await expect.poll(() => changes.locator('[data-side=one]').allTextContents()).toEqual([WANTED]); // once for all that have the same
  await expect
    .poll(async () => (await changes.getByRole('link').allTextContents()).toSorted())
    .toEqual(['r-0', 'r-1', 'r-2']);
});

it('says the effect of publishing before it, and asks for a reason', async () => {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await dialog().getByText('3 devices will differ.').waitFor();
  await expect.poll(() => send('Publish').isDisabled()).toBe(true);
  await dialog().getByLabel('Reason').fill('one time server');
  await send('Publish').click();
  await page.getByText('Version 1 is published; no router was changed').waitFor();
  await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
  await expect.poll(async () => (await template()).sync).toEqual({ pending: 3 });
  await goTo(page, '/templates/base?tab=versions');
  await table('Versions of the template').getByText('one time server').waitFor();
  await page.getByRole('link', { name: 'Version 1', exact: true }).click();
  await dialog().getByText(WANTED).waitFor();
  await dialog().getByRole('button', { name: 'Close' }).click();
});

it('is made of what routers have', async () => {
  await goTo(page, '/templates?make=adopt');
  await page.getByLabel('Name', { exact: true }).fill('found');
  await typeSelector(page, 'all');
  await page.getByText('Still missing: a service').waitFor();
  await expect.poll(() => page.getByLabel('Devices of the template').inputValue()).toBe('same');
  await page.getByLabel('System › Time servers').check();
  await page.getByRole('button', { name: 'Preview the template' }).click();
  await page.getByRole('heading', { name: 'What 3 devices have in common' }).waitFor();
  await page.getByRole('button', { name: 'Make the draft' }).click();
  await page.getByRole('heading', { level: 1, name: 'found' }).waitFor();
  const plan = await world.gateway.api.post<object>('/v1/templates/found/plan', {});
  expect(plan).toMatchObject({ devices: 3, inSync: 3, changed: 0 });
  await world.gateway.api.send('DELETE', '/v1/templates/found');
});

it('is made without a device that no watch has read, or has it read', async () => {
  const { api } = world.gateway;
  const away = {
    name: 'r-away',
    baseUrl: 'https://127.0.0.1:9',
    credentials: { username: 'admin', password: 'a password' },
  };
  const { id } = await api.post<{ id: string }>('/v1/devices', away);
  await goTo(page, '/templates?make=adopt');
  await page.getByLabel('Name', { exact: true }).fill('found');
  await typeSelector(page, 'all');
  await page.getByLabel('System › Time servers').check();
  await page.getByRole('button', { name: 'Preview the template' }).click();
  await page.getByRole('button', { name: 'Read it now' }).click();
  await page.getByText('1 device will be read as soon as the load allows: preview again then').waitFor();
  await page.getByRole('button', { name: 'Leave out 1 device' }).click();
  await page.getByRole('button', { name: 'Preview the template' }).and(page.locator(':enabled')).click();
  await page.getByRole('heading', { name: 'What 3 devices have in common' }).waitFor();
  await api.send('DELETE', `/v1/devices/${id}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(?:Leave|Discard)/ })
    .click();
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/templates$/);
});

describe('what differs', () => {
  it('is put back on all by the draft of a rollout', async () => {
    await goTo(page, '/templates/base');
    await page.getByRole('img', { name: '0 of 3 devices in sync, 3 pending' }).waitFor();
    await page.getByRole('button', { name: 'Plan a rollout to 3 devices' }).click();
    await dialog().getByRole('heading', { name: 'Plan a rollout to 3 devices' }).waitFor();
    await send('Plan a rollout').click();
    await page.getByRole('heading', { level: 1, name: 'set to base' }).waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await until(async () => (await template()).sync['in_sync'] === 3);
    await expect.poll(async () => (await template()).sync).toEqual({ in_sync: 3 });
  });

  it('is grouped by equal differences, with the devices of each', async () => {
    for (const index of [0, 1]) await write(index, ODD);
    await write(2, 'other.example');
    await expect.poll(async () => (await template()).sync).toEqual({ drifted: 3 });
    await goTo(page, '/templates/base');
    await page.getByRole('heading', { name: /^2 differences on 3 devices/ }).waitFor();
    const row = table('What differs').getByRole('row').filter({ hasText: ODD });
    await row.getByText('2 devices').waitFor();
    await expect.poll(async () => (await row.getByRole('cell').allTextContents()).slice(1, 3)).toEqual([WANTED, ODD]);
    await expect.poll(() => row.getByRole('link').allTextContents()).toEqual(['r-0', 'r-1']);
    const each = table('Devices of the template');
    await expect.poll(() => each.getByText(`Server 1 › Host name is ${ODD}`, { exact: true }).count()).toBe(2);
    await expect.poll(() => each.getByText('Server 1 › Host name is other.example').count()).toBe(1);
    await row.getByRole('button', { name: /^Plan a rollout: Time › Server 1 › Host name/ }).click();
    await dialog().getByRole('heading', { name: 'Plan a rollout to 2 devices' }).waitFor();
    await send('Plan a rollout').click();
    await page.getByRole('heading', { level: 1, name: 'set to base' }).waitFor();
    const { items } = await world.gateway.api.get<{ items: { total: number }[] }>('/v1/rollouts?state=draft');
    expect(items[0]).toMatchObject({ kind: 'reconcile', counts: { waiting: 2 } });
  });

  it('on one device is put back by a job, from the device', async () => {
    await goTo(page, `/devices/${ids[2]}?tab=templates`);
    const card = table('base');
    await card.getByText('Drifted').waitFor();
    await expect.poll(() => card.locator('[data-side]').allTextContents()).toEqual([WANTED, 'other.example']);
    await card.getByRole('button', { name: 'Put r-2 back to base' }).click();
    await expect.poll(() => dialog().getByText('cut the connection').count()).toBe(0); // a time server cannot
    await send('Put back').click();
    await page.getByText('Put r-2 back to base: the job has started').waitFor();
    await until(async () => (await template()).sync['in_sync'] === 1);
    await goTo(page, '/templates/base?sync=in_sync');
    await table('Devices of the template').getByRole('link', { name: 'r-2' }).waitFor();
    await expect.poll(() => table('Devices of the template').getByRole('link', { name: 'r-0' }).count()).toBe(0);
  });

  it('is looked at by a job whose settings are chosen by their names', async () => {
    await goTo(page, `/devices/${ids[2]}`);
    await page.getByRole('button', { name: 'Start a job' }).click();
    await dialog().getByLabel('What to do').selectOption('configure');
    await dialog().getByLabel('Service').selectOption('/api/ntp/servers/config');
    await dialog().getByRole('checkbox', { name: 'Time › Server 1 › Host name' }).click();
    await send('Change 1 setting').click();
    const value = dialog().getByRole('textbox', { name: 'New value' });
    await expect.poll(() => value.inputValue()).not.toBe(''); // what the device has
    await value.fill('chosen.example');
    await dialog()
      .getByRole('checkbox', { name: /^Only report/ })
      .click();
    await send('Start job').click();
    await page.getByRole('heading', { level: 1, name: 'Settings change on r-2' }).waitFor();
    const { items } = await world.gateway.api.get<{ items: { spec: object }[] }>('/v1/jobs?kind=configure');
    const changes = [{ action: 'update', path: '/api/ntp/servers/config/1', data: { hostname: 'chosen.example' } }];
    expect(items[0]!.spec).toMatchObject({ changes, dryRun: true });
    const jobs = '/v1/jobs?phase=ended&kind=configure';
    await until(async () => (await world.gateway.api.get<{ items: object[] }>(jobs)).items.length === 1);
  });

  it('is suspended where two masters are at work, until a person resumes it', async () => {
    for (let time = 0; time < 2; time++) {
      await write(2, 'other.example');
      const job = { kind: 'reconcile', spec: { template: 'base' } };
      const { id } = await world.gateway.api.post<{ id: string }>(`/v1/devices/${ids[2]}/jobs`, job);
      await until(async () => (await world.gateway.api.get<{ phase: string }>(`/v1/jobs/${id}`)).phase === 'ended');
    }
    await goTo(page, '/templates/base');
    await page.getByText('1 device is suspended').waitFor();
    await page.getByRole('button', { name: 'Resume all' }).click();
    await send('Resume').click();
    await page.getByText('The suspension of 1 device has ended').waitFor();
    await expect.poll(async () => (await template()).sync['suspended']).toBeUndefined();
  });
});

describe('an option that is ignored', () => {
  it('counts on none of the devices until a person ends it', async () => {
    await goTo(page, '/templates/base');
    await table('What differs')
      .getByRole('row')
      .filter({ hasText: ODD })
      .getByRole('button', { name: /^Ignore/ })
      .click();
    const differing = dialog().getByRole('button', { name: '2 devices that differ now', pressed: true });
    await differing.waitFor();
    await expect.poll(() => send('Ignore').isDisabled()).toBe(true);
    await dialog().getByLabel('Reason').fill('their own time server');
    await send('Ignore').click();
    await page.getByText('Ignored; the states follow in a moment').waitFor();
    await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
    await expect.poll(async () => (await template()).sync['drifted']).toBeUndefined();
    await goTo(page, `/devices/${ids[0]}?tab=templates`);
    await table('base').getByText(`stays ${ODD}: ignored by`).waitFor();
    await goTo(page, '/templates/base');
    await table('Devices of the template').getByText('1 option ignored').first().waitFor();
    const row = table('Ignored options').getByRole('row').filter({ hasText: 'their own time server' });
    await row.getByRole('button', { name: /^End now/ }).click();
    await send('End now').click();
    await page.getByText('The option counts again; the states follow in a moment').waitFor();
    await world.gateway.gateway.app.get(TemplateStateSweeper).sweep();
    await expect.poll(async () => (await template()).sync['drifted']).toBe(2);
  });
});

describe('the draft', () => {
  it('is made of settings that devices have', async () => {
    await goTo(page, '/templates?make=yes');
    await page.getByLabel('Name', { exact: true }).fill('other');
    await typeSelector(page, 'name:r-0');
    await page.getByRole('button', { name: 'Add settings' }).click();
    await dialog().getByLabel('Search the settings').fill('time host');
    await dialog().getByText(`1 × ${ODD}`).waitFor();
    await dialog().getByLabel('Time › Server 1 › Host name', { exact: true }).check();
    await expect.poll(() => dialog().getByLabel('should be').inputValue()).toBe(JSON.stringify(ODD));
    await send('Add 1 setting').click();
    // The device's own name is a hint, and no text.
    await expect.poll(() => page.getByTitle('hostname', { exact: true }).innerText()).toBe('Host name');
    await expect.poll(() => page.getByText('hostname', { exact: true }).count()).toBe(0);
    await page.getByLabel(/^Host name/).fill('{{device.name}}.example');
    await page.getByRole('button', { name: 'Make the draft' }).click();
    await page.getByRole('heading', { level: 1, name: 'other' }).waitFor();
    await table('What the template says').getByText('{{device.name}}.example').waitFor();
    const made = await world.gateway.api.get<{ items: object[] }>('/v1/templates/other');
    expect(made.items).toMatchObject([
      { path: TIME, key: { id: '1' }, options: { hostname: '{{device.name}}.example' } },
    ]);
    await world.gateway.api.send('DELETE', '/v1/templates/other');
  });

  it('takes a whole entry of a list, too', async () => {
    await goTo(page, '/templates?make=yes');
    await page.getByRole('button', { name: 'Add settings' }).click();
    await dialog()
      .getByRole('button', { name: /^Advanced/ })
      .click();
    await dialog().getByLabel('Service').selectOption(TIME);
    await expect.poll(() => dialog().getByLabel('Found on each router by').inputValue()).toBe('id');
    await dialog().getByLabel('What is done with it').selectOption('absent');
    await send('Add the entry').click();
    await page.getByText('Time › Server 1', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('What is done with it').inputValue()).toBe('absent');
  });

  it('is changed beside what is published', async () => {
    await goTo(page, '/templates/base?tab=edit');
    await page.getByLabel(/^Host name/).fill('newer.example');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('Draft saved; what is published stays in force').waitFor();
    const row = table('What the template says').getByRole('row').filter({ hasText: 'newer.example' });
    await row.getByText('Changed').waitFor();
    await expect.poll(() => row.locator('del').textContent()).toBe(WANTED);
    await expect.poll(() => template()).toMatchObject({ publishedNumber: 1 });
  });

  it('says what another person changed, and sends nothing over it', async () => {
    await goTo(page, '/templates/base?tab=edit');
    await page.getByRole('button', { name: 'Edit as JSON' }).click();
    const items = page.getByLabel('Items as JSON');
    await items.fill('[{}]');
    await page.getByText(/This is not a list of items/).waitFor();
    await items.fill(JSON.stringify([{ path: TIME, key: { id: '1' }, options: { hostname: 'mine.example' } }]));
    await page.getByRole('button', { name: 'Edit by fields' }).click();
    await expect.poll(() => page.getByLabel(/^Host name/).inputValue()).toBe('mine.example');
    const theirs = [{ path: TIME, key: { id: '1' }, options: { hostname: 'theirs.example' } }];
    await world.gateway.api.send('PUT', '/v1/templates/base', { name: 'base', selector: 'name:r-*', items: theirs });
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('Devices: now “name:r-*”.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByText('theirs.example').waitFor();
    await expect.poll(() => page.getByText('mine.example').count()).toBe(0);
  });

  it('is published at once after it was saved, also where the gateway answers slowly', async () => {
    const name = `quick-${++attempts}`;
    await world.gateway.api.post('/v1/templates', {
      name,
      selector: 'name:r-0',
      items: [{ path: '/api/ntp/client/config', key: { id: '1' }, options: { interval: '60' } }],
    });
    await goTo(page, `/templates/${name}?tab=edit`);
    await typeSelector(page, 'name:r-1');
    const address = `**/v1/templates/${name}`;
    await page.route(address, async (route) => {
      if (route.request().method() === 'GET') await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await dialog().getByLabel('Reason').fill('quick');
    await send('Publish').click();
    await page.getByText('Version 1 is published; no router was changed').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await expect
      .poll(() => world.gateway.api.get(`/v1/templates/${name}`))
      .toMatchObject({
        selector: 'name:r-1',
        publishedNumber: 1,
      });
    await world.gateway.api.send('DELETE', `/v1/templates/${name}`);
  });

  it('takes what devices have, where that is right after all', async () => {
    await goTo(page, '/templates/base');
    const row = table('What differs').getByRole('row').filter({ hasText: ODD });
    await row.getByRole('button', { name: /^Accept/ }).click();
    await dialog().getByText('After publishing, 1 device will differ in this setting instead of 2.').waitFor();
    await expect.poll(() => dialog().locator('[data-side]').allTextContents()).toEqual([WANTED, ODD]);
    await send('Accept into the template').click();
    await page.getByText('Accepted into the draft of base; publish it next').waitFor();
    await table('What the template says').locator('ins', { hasText: ODD }).waitFor();
    await expect.poll(() => template()).toMatchObject({ publishedNumber: 1, items: [{ options: { hostname: ODD } }] });
  });

  it('becomes what an earlier version says', async () => {
    await goTo(page, '/templates/base?tab=versions&version=1');
    await dialog().getByRole('button', { name: 'Copy into the draft' }).click();
    await page.getByText('Version 1 is copied into the draft; what is published stays in force').waitFor();
    await expect
      .poll(() => template())
      .toMatchObject({ publishedNumber: 1, items: [{ options: { hostname: WANTED } }] });
  });

  it('goes with its template, after the name was typed', async () => {
    await page.getByRole('button', { name: 'Actions for base' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog().getByLabel('Type base to confirm').fill('base');
    await send('Remove').click();
    await page.getByText('Template removed; the devices keep what they have').waitFor();
    await page.getByRole('heading', { name: 'No template yet' }).waitFor();
    await expect.poll(() => world.gateway.api.get('/v1/templates')).toEqual({ items: [] });
  });
});
