import { type Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AlertSweeper } from '../../src/monitoring/alerts/alert.sweeper.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { violationsOf } from '../support/console/axe.js';
import { expectAtMost, expectNone } from '../support/console/figures.js';
import { goTo, settled } from '../support/console/in-page.js';
import { type RealFleet, startRealFleet } from '../support/console/real-fleet.js';
import { until } from '../support/until.js';
import { typeSelector } from '../support/console/typed-selector.js';

/* A person makes a policy of monitoring by its price, sees the values of a device, and changes and removes the policy. */

let world: ConsoleWorld;
let real: RealFleet;
let page: Page;

beforeAll(async () => {
  world = await startConsoleWorld();
  real = await startRealFleet(world.gateway);
  page = await world.open('/monitoring?tab=policies');
  await settled(page);
});
afterAll(async () => {
  await world.close();
  await real.fleet.close();
});

const dialog = () => page.locator('dialog[open]');
const field = (label: string) => dialog().getByLabel(label, { exact: true });
const send = (name: string) => dialog().getByRole('button', { name, exact: true });
const closed = () => dialog().waitFor({ state: 'detached' });

it('says what there is where nothing is sampled', async () => {
  await page.getByText('No device is sampled').waitFor();
  await goTo(page, `/devices/${real.ids[0]}?tab=values`);
  await expect.poll(() => page.getByText('This device is not sampled').count()).toBe(1);
});

it('shows the price before a policy is made, and sends no interval that nearly always logs in', async () => {
  await goTo(page, '/monitoring?tab=policies');
  await page.getByRole('button', { name: 'New collection', exact: true }).click();
  await field('Name').fill('pumps');
  await expect.poll(() => send('Create collection').isDisabled()).toBe(true);
  await typeSelector(dialog(), 'tag:pump');
  await dialog()
    .getByText(/^5 devices: [\d.]+ MB a month/)
    .waitFor();
  await expect.poll(() => field('How often').locator('option').allTextContents()).not.toContain('Every 5 minutes');
  await field('How often').selectOption('Every minute');
  await send('Create collection').click();
  await closed();
  await page.getByText('Collection created; it reads in your name').waitFor();
  await page.getByRole('cell', { name: 'pumps', exact: true }).waitFor();
});

/** Until the first device has a sample: now, and not within the minute of its interval. */
async function sampled(): Promise<void> {
  const { app } = world.gateway.gateway;
  await app.get(SamplingPlanSweeper).sweep();
  await app.get(DataSource).query('update monitored_device set due_at = now()');
  await until(async () => {
    const { sample } = await world.gateway.api.get<{ sample: object | null }>(`/v1/devices/${real.ids[0]}/sample`);
    return sample !== null;
  });
}

it('shows the latest values of a device, and none that it did not say', async () => {
  await sampled();
  await goTo(page, `/devices/${real.ids[0]}?tab=values`);
  await page.getByRole('heading', { name: 'Mobile network', exact: true }).waitFor();
  const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
  expect(text).toMatch(/−\d+ dBm, (?:excellent|good|fair|weak|no service) RSRP/);
  expect(text).toMatch(/Memory \d+ % used/);
  expect(text).toMatch(/Interval 60 s/);
  expect(text).not.toMatch(/null|NaN|undefined/);
  const chart = page.getByRole('img', { name: /^Signal \(RSRP\): lowest −\d+ dBm, highest −\d+ dBm, last −\d+ dBm$/ });
  await chart.locator('canvas').waitFor();
  await page.getByLabel('Value', { exact: true }).selectOption('temperature');
  await page.getByRole('img', { name: /^Temperature: lowest \d+ °C/ }).waitFor();
  await page
    .getByLabel('Of this time')
    .getByText(/^\d+ °C$/)
    .first()
    .waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Live status' }).getAttribute('aria-current')).toBe('page');
});

it('changes a policy with what it had, and removes it by its name', async () => {
  await goTo(page, '/monitoring?tab=policies');
  await page.getByRole('button', { name: 'Change pumps', exact: true }).click();
  await expect.poll(() => field('How often').inputValue()).toBe('60');
  await field('MB for each device and month').fill('40');
  await dialog()
    .getByText(/^5 devices: .* a month/)
    .waitFor();
  await send('Save collection').click();
  await closed();
  await page.getByText('40 MB').waitFor();
  await page.getByRole('button', { name: 'Actions for pumps', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Remove', exact: true }).click();
  await dialog().getByRole('textbox').fill('pumps');
  await send('Remove').click();
  await closed();
  await page.getByText('No device is sampled').waitFor();
});

it('makes a rule by what matches now, shows its alerts, and says who takes care', async () => {
  await goTo(page, '/monitoring?tab=rules');
  await page.getByRole('button', { name: 'New rule', exact: true }).click();
  await field('Name').fill('looked at');
  await typeSelector(dialog(), 'name:router-2', 'Devices that need attention');
  await dialog().getByText('1 device').waitFor();
  await field('Opens after minutes').fill('soon');
  await dialog()
    .getByText(/“soon” is not a number/)
    .waitFor();
  await expect.poll(() => send('Create rule').isDisabled()).toBe(true);
  await field('Opens after minutes').fill('0');
  await dialog().getByRole('button', { name: 'Try it on the last seven days' }).click();
  await dialog().getByText('This condition cannot be tried.').waitFor();
  await typeSelector(dialog(), 'name:router-2 & state:online', 'Devices that need attention');
  await dialog().getByRole('button', { name: 'Try it on the last seven days' }).click();
  await dialog().getByText('It would have opened 1 alert on 1 device').waitFor();
  const steps = dialog().getByRole('list', { name: 'When they would have opened' }).getByRole('listitem');
  await expect.poll(() => steps.count()).toBe(28);
  await typeSelector(dialog(), 'name:router-2', 'Devices that need attention');
  await send('Create rule').click();
  await closed();
  await page
    .getByRole('row', { name: /looked at/ })
    .getByText('not evaluated yet')
    .waitFor();
  await world.gateway.gateway.app.get(AlertSweeper).sweep();
  await goTo(page, '/monitoring');
  const menu = page.getByRole('navigation', { name: 'Screens' });
  await menu.getByRole('link', { name: /^Monitoring\s*, 1 alert open$/ }).waitFor();
  const acknowledge = page.getByRole('button', { name: 'Acknowledge looked at of router-2', exact: true });
  await acknowledge.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await acknowledge.waitFor(); // also where a row has two lines
  await page.setViewportSize({ width: 1280, height: 900 });
  await acknowledge.click();
  await field('Note').fill('On the way');
  await send('Acknowledge').click();
  await closed();
  await page.getByText(`${world.name}: On the way`).waitFor();
  await expect.poll(() => page.getByRole('button', { name: /^Acknowledge looked at/ }).count()).toBe(0);
  await page
    .getByRole('row', { name: /looked at/ })
    .getByRole('link', { name: 'looked at' })
    .click();
  await page.getByRole('heading', { level: 1, name: /router-2$/ }).waitFor();
  await page.getByText(`${world.name} takes care of it`).waitFor();
  await page.getByText('“On the way”').waitFor();
  await page.getByText('It closes when that is over').waitFor();
  await page.getByText('None: it is the only one that is kept.').waitFor();
});

it('mutes the device of an alert, lists the mute, and ends it', async () => {
  await goTo(page, '/monitoring');
  await page.getByRole('button', { name: 'Actions for looked at of router-2', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Mute …', exact: true }).click();
  await dialog().getByText('1 device').waitFor();
  await expect.poll(() => send('Mute').isDisabled()).toBe(true);
  await field('Reason').fill('Power works');
  await send('Mute').click();
  await closed();
  await page.getByRole('status').getByRole('link', { name: 'Mutes', exact: true }).first().click();
  const row = page.getByRole('row', { name: /Power works/ });
  await row.getByText('looked at', { exact: true }).waitFor();
  await row.getByRole('button', { name: 'End the mute: Power works' }).click();
  await send('End').click();
  await closed();
  await page.getByText('No device is muted').waitFor();
});

it('says what matters of a row in one line where the screen is narrow, and has its actions in one menu', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await goTo(page, '/monitoring?tab=rules');
  const row = page.getByRole('row', { name: /looked at/ });
  await row.getByText('opens at once').waitFor();
  await row.locator('.mark').filter({ hasText: /On$/ }).waitFor();
  await expect.poll(() => page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await row.click();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await closed();
  await row.getByRole('button', { name: 'Actions for looked at' }).click();
  await page.getByRole('menuitem', { name: 'Change', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 900 });
  await row.getByRole('button', { name: 'Change looked at' }).waitFor();
});

it('silences an alert with two clicks, from its list and from the overview', async () => {
  const { api } = world.gateway;
  const rule = { name: 'noisy', selector: 'name:router-3', forSeconds: 0 };
  const { id } = await api.post<{ id: string }>('/v1/monitoring/rules', rule);
  await world.gateway.gateway.app.get(AlertSweeper).sweep();
  for (const path of ['/monitoring', '/']) {
    await goTo(page, path);
    let clicks = 0;
    for (const [role, name] of [
      ['button', /^Actions for noisy/],
      ['menuitem', 'Mute this rule for 8 hours'],
    ] as const) {
      await page.getByRole(role, { name }).click();
      clicks++;
    }
    await page.getByText('noisy: 1 device muted for 8 hours').first().waitFor();
    expectAtMost('B11', 'clicks: silence an alert', clicks, 2);
    // The message of the time before may still be there.
    const mutes = async () =>
      (await api.get<{ items: { id: string; reason: string }[] }>('/v1/monitoring/mutes')).items;
    await expect.poll(mutes).toMatchObject([{ reason: 'Known: noisy' }]);
    const [mute] = await mutes();
    await api.send('DELETE', `/v1/monitoring/mutes/${mute!.id}`);
  }
  await api.send('DELETE', `/v1/monitoring/rules/${id}`);
});

it('joins the alerts of one rule in a row that opens, and takes all of them at once', async () => {
  const { api } = world.gateway;
  const { id } = await api.post<{ id: string }>('/v1/monitoring/rules', {
    name: 'everywhere',
    selector: 'tag:pump',
    forSeconds: 0,
  });
  await world.gateway.gateway.app.get(AlertSweeper).sweep();
  const { items } = await api.get<{ items: object[] }>(`/v1/monitoring/alerts?rule=${id}`);
  const count = items.length;
  expect(count).toBeGreaterThan(3);
  await goTo(page, '/monitoring');
  const group = page.getByRole('row', { name: new RegExp(`${count} × everywhere`) });
  await group.getByText(`${count} not acknowledged`).waitFor();
  const alone = page.getByRole('row').filter({ hasText: 'not acknowledged' }).filter({ hasNotText: '×' });
  const table = page.getByRole('region', { name: 'Alerts', exact: true });
  expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  const before = await alone.count();
  await group.getByRole('button', { name: `${count} × everywhere` }).click();
  await expect.poll(() => alone.count()).toBe(before + count);
  await group.getByRole('button', { name: `Acknowledge ${count} alerts of everywhere` }).click();
  await dialog().getByText(`${count} alerts: `).waitFor();
  await field('Note').fill('The mast is down');
  await send('Acknowledge').click();
  await closed();
  await group.getByText('all acknowledged').waitFor();
  const taken = await api.get<{ items: { acknowledgement: string }[] }>(`/v1/monitoring/alerts?rule=${id}`);
  expect(taken.items.map(({ acknowledgement }) => acknowledgement)).toEqual(items.map(() => 'The mast is down'));
  await api.send('DELETE', `/v1/monitoring/rules/${id}`);
});

it('shows the latest values as columns of the devices', async () => {
  await goTo(page, '/devices?columns=rsrp,temperature,sampled,certificate');
  const row = page.getByRole('row', { name: /router-1/ });
  await row.getByText(/^−\d+ dBm$/).waitFor();
  await row.getByText(/^\d+ °C$/).waitFor();
  await row.getByText(/^\d+ \w{3,4}(?: \d{4}|, \d\d:\d\d)$/).waitFor();
  await expect
    .poll(() => page.getByRole('columnheader').allInnerTexts())
    .toEqual(expect.arrayContaining(['Signal (RSRP)', 'Temperature', 'Values read', 'Certificate ends']));
});

it('makes a rule by a value, a comparison and a number, and says who is told', async () => {
  const { api } = world.gateway;
  await goTo(page, '/monitoring?tab=rules');
  await page.getByRole('button', { name: 'New rule', exact: true }).click();
  await field('Name').fill('hot room');
  await field('Opens when').selectOption('Temperature');
  await field('Number').fill('9x');
  await expect.poll(() => field('Number').getAttribute('aria-invalid')).toBe('true');
  await field('Number').fill('90');
  await dialog().getByRole('button', { name: 'Name', exact: true }).click();
  await field('Name of a device').fill('router-2');
  await field('Name of a device').press('Enter');
  await dialog().getByRole('button', { name: 'Name: router-2', exact: true }).waitFor();
  await dialog().getByText('0 of 1 match now').waitFor();
  await expect.poll(() => field('Devices that need attention').inputValue()).toBe('temperature>90 & name=router-2');
  await dialog().getByText('closes with a margin').click();
  await expect.poll(() => field('It is over when a device also meets').inputValue()).toBe('temperature<85');
  await dialog().getByText('Nobody is told of alerts yet.').waitFor();
  expectNone('B3', 'the form of a rule', await violationsOf(page));
  await send('Create rule').and(page.locator(':enabled')).click();
  await closed();
  await page.getByRole('row', { name: /hot room/ }).waitFor();
  await page.getByText('Nobody is told of alerts yet.').waitFor();
  const body = { name: 'operations', url: 'https://chat.example/hook', types: ['alert.*'] };
  const { id } = await api.post<{ id: string }>('/v1/webhooks', body);
  await page.reload();
  await page.getByText('Told of alerts: operations').waitFor();
  await goTo(page, '/monitoring');
  await page.getByText('Told of alerts: operations').waitFor();
  await api.send('DELETE', `/v1/webhooks/${id}`);
  const { items } = await api.get<{ items: { id: string; name: string }[] }>('/v1/monitoring/rules');
  await api.send('DELETE', `/v1/monitoring/rules/${items.find(({ name }) => name === 'hot room')!.id}`);
});

it('takes devices by their sites and names, and the selector as text where clicks cannot say it', async () => {
  await goTo(page, '/monitoring?tab=mutes');
  await page.getByRole('button', { name: 'New mute', exact: true }).click();
  const open = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
  const chips = (name: string) => dialog().getByRole('group', { name, exact: true }).getByRole('button');
  await open('Tag');
  await chips('Devices by tag').filter({ hasText: /^pump/ }).click();
  await dialog()
    .getByText(/^5 devices/)
    .waitFor();
  await expect.poll(() => field('Selector').isVisible()).toBe(false);
  await open('Name');
  await chips('Devices by name').filter({ hasText: 'router-1' }).first().click();
  await dialog().getByText('1 device').waitFor();
  await expect.poll(() => field('Selector').inputValue()).toBe('name=router-1');
  await typeSelector(dialog(), 'tag:pump & !name=router-1');
  await dialog()
    .getByText(/^4 devices/)
    .waitFor();
  await field('Selector').fill('tag:pump & &');
  await dialog().locator('p.wrong').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Leave without saving', exact: true }).click();
});
