import pg from 'pg';
import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { faultsOf } from '../support/console/faults.js';
import { expectNone } from '../support/console/figures.js';
import { settled } from '../support/console/in-page.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { sessionOf } from '../support/people.js';
import { until } from '../support/until.js';

/* What a slip of the hand, a second person or the end of a session must not break. */

let world: ConsoleWorld;
let fleet: Fleet;
let device: string;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  fleet = await startOwnFleet({ devices: 1, seed: 7 });
  const { baseUrl, username, password } = fleet.devices[0]!;
  const registered = { name: 'pump-1', baseUrl, tags: ['pump'], credentials: { username, password } };
  ({ id: device } = await world.gateway.api.post<{ id: string }>('/v1/devices', registered));
  page = await world.open('/devices');
});
afterAll(async () => {
  await fleet?.close();
  await world.close();
});

const question = () => page.getByRole('heading', { name: 'Leave without saving?' });
const dialog = () => page.getByRole('dialog', { name: 'Edit pump-1' });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const screen = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

describe('what was typed and not saved', () => {
  afterEach(() => page.goto(`${world.gateway.url}/console/devices`));

  it('is asked about before a dialog closes, and kept', async () => {
    await page.getByRole('link', { name: 'pump-1' }).click();
    await press('Edit');
    const site = dialog().getByLabel('Site');
    await site.fill('vilnius');
    await site.fill('');
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' }); // nothing has changed
    await press('Edit');
    await site.fill('vilnius');
    for (const way of ['Escape', 'Close', 'Cancel', 'back']) {
      if (way === 'Escape') await page.keyboard.press(way);
      else if (way === 'back') await page.goBack();
      else await dialog().getByRole('button', { name: way }).click();
      await question().waitFor();
      if (way === 'Close') await press('Keep editing');
      else await page.keyboard.press('Escape');
      await question().waitFor({ state: 'detached' });
      await expect.poll(() => site.inputValue()).toBe('vilnius');
    }
    await page.keyboard.press('Escape');
    await question().waitFor();
    faults.push(...(await faultsOf(page, 'question')));
    await press('Leave without saving');
    await dialog().waitFor({ state: 'detached' });
    await press('Edit');
    await expect.poll(() => site.inputValue()).toBe('');
    await site.fill('kaunas');
    await press('Save');
    await page.getByText('The device is changed').waitFor();
    await dialog().waitFor({ state: 'detached' });
    await page.goBack();
    await screen('Devices');
  });

  it('is asked about in the configuration of a device, on the way to another tab or screen, and by the browser', async () => {
    await page.getByRole('link', { name: 'pump-1' }).click();
    await screen('pump-1');
    const path = '/api/dhcp/servers/ipv4/config';
    await page.goto(`${world.gateway.url}/console/devices/${device}?tab=configuration&service=${path}`);
    const field = page.locator('main').getByLabel('Last address').first();
    await field.fill('192.168.1.77');
    const save = page.getByRole('button', { name: 'Save 1 change' });
    await save.waitFor();
    for (const way of ['Jobs', 'Audit']) {
      await page.getByRole('link', { name: way, exact: true }).first().click();
      await press('Keep editing');
      await expect.poll(() => field.inputValue()).toBe('192.168.1.77');
    }
    await press('Raw');
    await press('Raw');
    await expect.poll(() => field.inputValue()).toBe('192.168.1.77');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const browsers = await asked;
    expect(browsers.type()).toBe('beforeunload');
    await browsers.dismiss();
    await press('Discard');
    await page.getByRole('link', { name: 'Audit', exact: true }).first().click();
    await save.waitFor({ state: 'detached' });
    await settled(page);
  });
});

describe('two people who change one device', () => {
  it('hear of each other, and the second one loses nothing', async () => {
    const { api } = world.gateway;
    const stored = () => api.get<{ site: string; note: string }>(`/v1/devices/${device}`);
    page = await world.open(`/devices/${device}`);
    await press('Edit');
    await dialog().getByLabel('Note').fill('Keys at the gate');
    const other = await world.open(`/devices/${device}`);
    await other.getByRole('button', { name: 'Edit', exact: true }).click();
    await other.getByRole('dialog').getByLabel('Site').fill('klaipeda');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByText('The device is changed').waitFor();
    await other.close();
    await press('Save');
    await dialog().getByText('Another person changed this').waitFor();
    await dialog().getByText('Site: now “klaipeda”').waitFor();
    expect(await stored()).toMatchObject({ site: 'klaipeda', note: '' });
    await expect.poll(() => dialog().getByLabel('Note').inputValue()).toBe('Keys at the gate');
    await press('Save');
    await page.getByText('The device is changed').waitFor();
    expect(await stored()).toMatchObject({ site: 'klaipeda', note: 'Keys at the gate' });
  });
});

describe('a session that ends in the middle of a form', () => {
  it('is told, and after a sign-in over the form what was typed is sent', async () => {
    await press('Edit');
    await dialog().getByLabel('Note').fill('The key is at the gate house');
    await page.context().clearCookies();
    await press('Save');
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.getByLabel('Password').fill('not the password');
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByText('Wrong name or password').waitFor();
    faults.push(...(await faultsOf(page, 'sign-in over a form')));
    await again.getByLabel('Password').fill(world.password);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.getByLabel('Code').fill(world.code());
    await expect.poll(() => dialog().getByLabel('Note').inputValue()).toBe('The key is at the gate house');
    await page.keyboard.press('Enter');
    await page.getByText('The device is changed').waitFor();
    await dialog().waitFor({ state: 'detached' });
    const { note } = await world.gateway.api.get<{ note: string }>(`/v1/devices/${device}`);
    expect(note).toBe('The key is at the gate house');
  });
});

describe('a selector that is being typed', () => {
  it('leaves the rows as they are until it can be read, and shows its error at its character', async () => {
    await page.goto(`${world.gateway.url}/console/devices`);
    const row = page.getByRole('link', { name: 'pump-1' });
    const facet = page.getByRole('button', { name: /^pump/ });
    const field = page.getByRole('combobox', { name: 'Selector' });
    const sent: string[] = [];
    page.on('request', (request) => {
      const selector = new URL(request.url()).searchParams.get('selector');
      if (selector !== null && request.url().includes('/v1/devices')) sent.push(selector);
    });
    await row.waitFor();
    await field.pressSequentially('tag:pump');
    await page.waitForURL((url) => url.searchParams.get('selector') === 'tag:pump');
    await field.pressSequentially(' & si');
    await field.press('Enter');
    await page.locator('mark', { hasText: /^si$/ }).waitFor();
    await page.getByText('At "si": no such field.').waitFor();
    faults.push(...(await faultsOf(page, 'selector with an error')));
    await expect.poll(() => row.isVisible()).toBe(true);
    await expect.poll(() => facet.first().isVisible()).toBe(true);
    await field.press('End');
    await field.pressSequentially('te:nowhere', { delay: 20 });
    await page.getByText('No device matches').waitFor();
    await field.fill('');
    await row.waitFor();
    // The counts of tags are asked without the tag that is chosen.
    const others = ['lock:any', 'site:nowhere'];
    expect(
      new Set(sent.filter((text) => !others.includes(text) && !'tag:pump & site:nowhere'.startsWith(text))),
    ).toEqual(new Set());
    expect(sent.filter((text) => /:$|& ?$|^tag?$|^t$/.test(text))).toEqual([]);
    await page.goto(`${world.gateway.url}/console/devices?selector=si`);
    await page.getByText('At "si": no such field.').waitFor(); // an address may have any text
  });
});

describe('a filter that matches nothing', () => {
  it('names the tag that no device has, and the nearest one', async () => {
    await page.goto(`${world.gateway.url}/console/devices?selector=tag:pumb`);
    await page.getByRole('heading', { name: 'No device has the tag “pumb”' }).waitFor();
    await page.getByRole('button', { name: 'pump', exact: true }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('selector')).toBe('tag=pump');
    await page.getByRole('link', { name: 'pump-1' }).waitFor();
  });

  it('keeps the facets, so that one can be taken back', async () => {
    await page.goto(`${world.gateway.url}/console/devices?selector=tag=pump&q=nowhere`);
    await page.getByText('No device matches').waitFor();
    const facet = page.getByRole('complementary', { name: 'Facets' }).getByRole('button', { name: /^pump/ });
    await expect.poll(() => facet.getAttribute('aria-pressed')).toBe('true');
    expect(await facet.textContent()).toBe('pump0');
    await facet.click();
    await page.waitForURL((url) => !url.searchParams.has('selector'));
    await page.getByRole('searchbox', { name: 'Search devices' }).fill('');
    await expect.poll(() => facet.textContent()).toBe('pump1');
  });
});

describe('an action that ends after the person has gone on', () => {
  it('leaves them on the screen that they have opened', async () => {
    await page.goto(`${world.gateway.url}/console/backups`);
    const start = page.getByRole('button', { name: 'Back up 1 device without a backup' });
    await start.waitFor();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(/\/v1\/(?:backups|rollouts|artifacts)\b/, async (route) => {
      if (route.request().method() === 'GET') await held;
      await route.continue().catch(() => undefined); // the page may have gone on
    });
    const opened: string[] = [];
    page.on('framenavigated', (frame) => opened.push(frame.url()));
    await start.click();
    await page.getByText('The backups are started').waitFor();
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await screen('Devices');
    release();
    await page.getByRole('link', { name: 'pump-1' }).click();
    await screen('pump-1');
    expect(opened.filter((url) => url.includes('/rollouts/'))).toEqual([]);
    await page.unroute(/\/v1\/(?:backups|rollouts|artifacts)\b/);
  });
});

describe('a way back', () => {
  it('has the place and the choice that the list had', async () => {
    await page.setViewportSize({ width: 1280, height: 400 });
    await page.goto(`${world.gateway.url}/console/devices`);
    await page.getByRole('checkbox', { name: 'Select pump-1' }).check();
    await page.getByRole('link', { name: 'pump-1' }).click();
    await screen('pump-1');
    await page.goBack();
    await page.getByRole('toolbar').getByText('1 chosen').waitFor();
    await expect.poll(() => page.getByRole('checkbox', { name: 'Select pump-1' }).isChecked()).toBe(true);
    await page.getByRole('link', { name: 'Audit', exact: true }).first().click();
    const links = page.locator('main').getByRole('link', { name: 'pump-1' });
    await links.nth(1).waitFor();
    const content = page.locator('main');
    const top = () => content.evaluate((main) => main.scrollTop);
    await links.last().scrollIntoViewIfNeeded();
    const before = await top();
    expect(before).toBeGreaterThan(0);
    await links.last().click();
    await screen('pump-1');
    await until(async () => (await top()) === 0);
    await page.goBack();
    await until(async () => (await top()) === before);
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select pump-1' }).waitFor(); // opened anew: nothing is chosen
    await expect.poll(() => page.getByRole('toolbar').count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

it('takes no text for the number of a custom field, and removes none for it', async () => {
  const { api } = world.gateway;
  const plan = async () => (await api.get<{ fields: { plan_mb?: number } }>(`/v1/devices/${device}`)).fields.plan_mb;
  await api.send('PATCH', `/v1/devices/${device}`, { fields: { plan_mb: 500 } });
  await page.goto(`${world.gateway.url}/console/devices/${device}`);
  await press('Edit');
  const field = dialog().getByLabel('Data plan, MB a month');
  await field.fill('5oo');
  await dialog().getByText('“5oo” is not a number').waitFor();
  await expect.poll(() => dialog().getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await field.fill('600');
  await press('Save');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(() => plan()).toBe(600);
});

it('shows a toast above a dialog, where it can be dismissed', async () => {
  await page.goto(`${world.gateway.url}/console/devices/${device}`);
  await press('Edit');
  await dialog().getByLabel('Site').fill('palanga');
  await press('Save');
  const toast = page.locator('.toast');
  await toast.waitFor();
  await press('Edit');
  await dialog().waitFor();
  await dialog().locator('.toast').waitFor(); // what is outside of an open dialog is under its veil
  await toast.getByRole('button', { name: 'Dismiss' }).click();
  await toast.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  await expect.poll(() => toast.count()).toBe(0);
});

it('says of nothing past that it is in the future, on a machine whose clock is late', async () => {
  const late = await world.open('/devices', { isFresh: true });
  await late.addInitScript('const now = Date.now; Date.now = () => now() - 90_000');
  await late.goto(`${world.gateway.url}/console/audit`);
  const times = late.locator('main time');
  await times.first().waitFor();
  const texts = await times.allInnerTexts();
  expect(texts.filter((text) => text.startsWith('in '))).toEqual([]);
  expect(texts.some((text) => text === 'now' || text.endsWith('ago'))).toBe(true);
  await late.close();
});

describe('an address', () => {
  it('of nothing has the menu, and leads on', async () => {
    await page.goto(`${world.gateway.url}/console/nowhere/at-all`);
    await screen('There is no such screen');
    faults.push(...(await faultsOf(page, 'no such screen')));
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Devices' }).click();
    await screen('Devices');
    await page.goto(`${world.gateway.url}/console/devices/name:nobody`);
    await screen('There is no such device');
    await page.getByRole('link', { name: 'All devices' }).click();
    await screen('Devices');
    expect(new URL(page.url()).pathname).toBe('/console/devices');
  });

  it('of a screen that a role may not open is not in its menu, and says which permission is missing', async () => {
    const { id } = await world.gateway.api.post<{ id: string }>('/v1/operators', { name: 'Night', role: 'viewer' });
    const { token } = await sessionOf(world.gateway, { id, name: 'Night' });
    const context = await world.stranger();
    await context.addCookies([{ name: 'fleetgate-loopback', value: token, url: world.gateway.url }]);
    const night = await context.newPage();
    const reads: string[] = [];
    night.on('request', (request) => reads.push(new URL(request.url()).pathname));
    await night.goto(`${world.gateway.url}/console/audit`);
    await night.getByText('It needs the permission to read the audit.').waitFor();
    const menu = night.getByRole('navigation', { name: 'Screens' });
    await expect.poll(() => menu.getByRole('link', { name: 'Devices' }).count()).toBe(1);
    await expect.poll(() => menu.getByRole('link', { name: /Audit|System/ }).count()).toBe(0);
    faults.push(...(await faultsOf(night, 'forbidden screen')));
    await menu.getByRole('link', { name: 'Devices' }).click();
    await night.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
    await night.goBack();
    await night.getByText('It needs the permission to read the audit.').waitFor();
    expect(reads.filter((path) => path.startsWith('/v1/audit'))).toEqual([]);
    await night.close();
  });
});

describe('an outage', () => {
  /** The database takes no connection. */
  async function withoutDatabase(run: () => Promise<void>): Promise<void> {
    const url = new URL(world.gateway.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    try {
      await admin.query(`alter database "${name}" with allow_connections false`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await run();
    } finally {
      await admin.query(`alter database "${name}" with allow_connections true`);
      await admin.end();
    }
  }
  const banner = () => page.getByRole('alert').filter({ hasText: 'Next try at' });

  it('while a screen is open is told in a banner, and the rows stay', async () => {
    await page.getByRole('link', { name: 'Devices', exact: true }).click();
    await page.getByRole('link', { name: 'pump-1' }).waitFor();
    await withoutDatabase(async () => {
      await page.getByRole('link', { name: 'Jobs', exact: true }).click();
      await banner().getByText('The gateway cannot reach the database, since').waitFor();
      await expect.poll(() => page.locator('body').innerText()).not.toContain('Idempotency');
      await page.getByRole('link', { name: 'Devices', exact: true }).click();
      await page.getByRole('link', { name: 'pump-1' }).waitFor();
      faults.push(...(await faultsOf(page, 'outage')));
    });
    await press('Try now');
    await banner().waitFor({ state: 'detached' });
  });

  it('at load leaves the menu, and the screen opens by itself', async () => {
    await withoutDatabase(async () => {
      await page.goto(`${world.gateway.url}/console/jobs`);
      await banner().waitFor();
      await page.getByText('Nothing could be read yet').waitFor();
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Audit' }).waitFor();
    });
    await screen('Jobs');
    await page.getByRole('button', { name: world.name }).waitFor();
    await expect.poll(() => banner().count()).toBe(0);
  });
});

it('has accessible questions and banners', () => expectNone('B4', 'what axe finds on questions and banners', faults));
