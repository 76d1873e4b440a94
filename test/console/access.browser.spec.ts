import { type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Browser } from '../support/browser.js';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { settled } from '../support/console/in-page.js';
import { TestApi } from '../support/test-api.js';
import { typeSelector } from '../support/console/typed-selector.js';

/* People, roles, keys, locks and settings, as an administrator uses them in the console. */

const VIEWER = 'Edith';

let world: ConsoleWorld;
let viewerId: string;
let page: Page;

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api', STATUS_EVERY_SECONDS: '0', APPROVAL_DEVICES: '7' });
  const { api } = world.gateway;
  viewerId = (await api.post<{ id: string }>('/v1/operators', { name: VIEWER, role: 'viewer' })).id;
});
afterAll(() => world.close());
afterEach(() => page.close());

async function open(path: string): Promise<void> {
  page = await world.open(path);
  await settled(page);
}

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const dialog = () => page.getByRole('dialog');
const main = () => page.locator('main');
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });

it('saves a role by its rules, and shows them', async () => {
  await open('/access?tab=roles');
  await press('Make a role');
  await main().getByLabel('Name', { exact: true }).fill('night-shift');
  await typeSelector(main(), 'tag:lt');
  await main().getByLabel('call devices to write').check();
  await main().getByLabel('All permissions of job').check();
  // What a right cannot depend on is said at the field.
  await typeSelector(main(), 'seen>1d');
  await press('Save role');
  await main()
    .getByText(/cannot depend on when a device last answered/)
    .first()
    .waitFor();
  await expect.poll(() => main().getByLabel('Selector', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await typeSelector(main(), 'tag:lt');
  await press('Add a rule');
  const second = main().getByRole('group', { name: 'Rule 2' });
  await second.getByLabel('Effect').selectOption('deny');
  await second.getByLabel('see devices of the registry').uncheck();
  await second.getByLabel('call devices to write').check();
  await second.getByText('All paths of these devices').click();
  await second.getByLabel('At which paths').fill('/firmware/* write');
  await press('Save role');
  await page.getByText('The role night-shift is saved').waitFor();
  // Its name shows what it may do; only the button of its row or of this dialog opens the fields.
  await press('night-shift');
  await dialog().getByText('see devices of the registry').first().waitFor();
  await expect.poll(() => dialog().getByRole('checkbox').count()).toBe(0);
  await dialog().getByText('Nobody has this role.').waitFor();
  await dialog().getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('heading', { name: 'Edit the role night-shift' }).waitFor();
  await expect.poll(() => main().getByRole('button', { name: 'Save role' }).isDisabled()).toBe(true);
  await main().getByText('Unchanged so far').waitFor();
  // Several rules are said at first, and each opens to its boxes.
  await expect.poll(() => main().getByLabel('call devices to write').filter({ visible: true }).count()).toBe(0);
  await main().getByText('Call devices to write', { exact: true }).click();
  await expect
    .poll(() => main().getByRole('group', { name: 'Rule 2' }).getByLabel('call devices to write').isChecked())
    .toBe(true);
  await press('Cancel');
  const { rules } = await world.gateway.api.get<{ rules: unknown }>('/v1/roles/night-shift');
  expect(rules).toEqual([
    { effect: 'allow', permissions: ['device.read', 'device.call_write', 'job.*'], selector: 'tag:lt', devices: null },
    {
      effect: 'deny',
      permissions: ['device.call_write'],
      selector: null,
      devices: { api: { '/firmware/*': ['write'] } },
    },
  ]);
});

it('says of everyone who may do something, and why', async () => {
  await open('/access?tab=explain');
  await page.getByLabel('May do what').selectOption('audit.export');
  await press('Explain');
  await row(VIEWER).locator('.mark', { hasText: 'no' }).waitFor();
  await row(world.name).locator('.mark', { hasText: 'yes' }).waitFor();
  await expect.poll(() => row(world.name).innerText()).toContain('Allowed by rule 1 of the role administrator.');
  await page.getByRole('link', { name: VIEWER }).click();
  await page.locator('.mark', { hasText: 'Not allowed' }).waitFor();
  expect(new URL(page.url()).searchParams.get('operator')).toBe(viewerId);
});

it('has a page of a person: roles, rights, keys, sessions and last acts, and what can be done with them', async () => {
  const { key } = await world.gateway.api.post<{ key: string }>('/v1/api-keys', {
    name: 'meter-reader',
    operatorId: viewerId,
    allowedAddresses: [],
  });
  await new TestApi({ url: world.gateway.url, key }).send('POST', '/v1/devices', {}).catch(() => undefined);
  await open('/access');
  await row(VIEWER).getByRole('link', { name: VIEWER, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: VIEWER }).waitFor();
  await row('meter-reader').locator('.mark', { hasText: 'Valid' }).waitFor();
  await row('Change roles').locator('.mark', { hasText: 'no' }).waitFor();
  await row('See devices').locator('.mark', { hasText: 'yes' }).waitFor();
  const last = page.getByRole('region', { name: 'What this person did last' });
  await last.getByRole('row', { name: /Refused/ }).waitFor();
  await main().getByText('In no browser.').waitFor();
  await press(`Actions for ${VIEWER}`);
  await page.getByRole('menuitem', { name: 'Lock …' }).click();
  await expect.poll(() => dialog().getByLabel('Person').inputValue()).toBe(viewerId);
  await dialog().getByLabel('Reason').fill('on leave');
  await dialog().getByRole('button', { name: 'Lock', exact: true }).click();
  await main().getByText('Locked: on leave').first().waitFor();
  await main().getByText('Nothing of this while locked').waitFor();
  await row('See devices').locator('.mark', { hasText: 'yes' }).waitFor();
  expect(await main().locator('dt:text-is("viewer") + dd').innerText()).toMatch(/^\d+ of \d+ permissions$/);
  await page.getByRole('link', { name: 'All of it' }).click();
  await page.waitForURL(/\/audit\?who=Edith$/);
  await page.goto(`${world.gateway.url}/console/access?tab=explain&operator=${viewerId}&action=device.read`);
  await main().locator('.mark', { hasText: 'Not allowed while locked' }).waitFor();
  await main().getByText('Without the lock: Edith may see devices of the registry').waitFor();
  const [lock] = (await world.gateway.api.get<{ items: { id: string }[] }>('/v1/locks')).items;
  await world.gateway.api.send('DELETE', `/v1/locks/${lock!.id}`);
});

it('names in the audit the person that an entry is about, where it has only an id', async () => {
  await open('/audit?action=role.assign');
  const entry = row('Gave roles to a person').filter({ hasText: `Person ${VIEWER}` });
  await entry.waitFor();
  await expect.poll(() => entry.innerText()).not.toContain(viewerId.slice(0, 8));
});

it('leaves the menu where a part of a screen cannot be loaded, and loads the page again', async () => {
  await open('/access');
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Roles', exact: true }).click();
  await page.getByRole('heading', { name: 'A part of this screen is missing' }).waitFor();
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Devices' }).waitFor();
  await page.unroute('**/assets/*.js');
  await press('Reload');
  await row('auditor').first().waitFor();
  expect(await page.getByText('It could not be loaded').count()).toBe(0);
});

it('lists the changes of the audit alone', async () => {
  await open('/audit');
  const rows = page.getByRole('region', { name: 'Audit entries' }).getByRole('row');
  await rows.filter({ hasText: 'Signed in' }).first().waitFor();
  await page.getByLabel('Show').selectOption('Changes only');
  await expect.poll(() => rows.filter({ hasText: 'Signed in' }).count()).toBe(0);
  await rows.filter({ hasText: 'Gave roles to a person' }).first().waitFor();
  expect(new URL(page.url()).searchParams.get('only')).toBe('changes');
});

it('leads from one entry of the audit to the older one, and back', async () => {
  await open('/audit?only=changes&each=yes');
  const rows = page.getByRole('region', { name: 'Audit entries' }).getByRole('row');
  await rows.nth(2).waitFor();
  await rows.nth(1).getByRole('cell').nth(2).getByRole('link').click();
  const shown = () => new URL(page.url()).searchParams.get('entry');
  await dialog().getByRole('button', { name: 'Older entry' }).waitFor();
  const newest = shown();
  expect(await dialog().getByRole('button', { name: 'Newer entry' }).isDisabled()).toBe(true);
  await press('Older entry');
  await expect.poll(shown).not.toBe(newest);
  await press('Newer entry');
  await expect.poll(shown).toBe(newest);
  await press('Close');
});

it('says before an export of the audit how many entries it has, and which filters it does not take', async () => {
  await open('/audit?export=yes');
  await dialog()
    .getByText(/^The whole log: (more than )?\d+ entries\.$/)
    .waitFor();
  await open('/audit?export=yes&only=changes');
  await dialog().getByText('An export takes no filter of changes only').waitFor();
  expect(await dialog().getByText('The whole log').count()).toBe(0);
});

it('has the own keys on the own account', async () => {
  await open('/access?tab=account');
  const card = main().locator('section', { hasText: 'Your keys for programs' });
  await press('Issue a key');
  await dialog().getByLabel('Name', { exact: true }).fill('laptop');
  await press('Issue');
  await page.getByText('Copy it now').waitFor();
  await press('Close');
  await card.getByRole('row').filter({ hasText: 'laptop' }).waitFor();
  expect(await card.getByRole('button', { name: 'Actions for laptop' }).count()).toBe(1);
});

it('issues, replaces and revokes a key of another person, with the id of each request', async () => {
  await open('/access?tab=keys');
  await press('Issue a key');
  await dialog().getByLabel('Name', { exact: true }).fill('report');
  await dialog().getByLabel('Acts in the name of').selectOption(VIEWER);
  await dialog().getByLabel('What it may do').selectOption('Only what I choose');
  await dialog().getByText('Still missing: a permission').waitFor();
  await dialog().getByLabel('Only these permissions').fill('device.read');
  await press('Issue');
  await page.getByRole('heading', { name: 'The key report' }).waitFor();
  const key = await dialog().locator('code').first().innerText();
  await expect.poll(() => page.locator('.toast').getAttribute('title')).toMatch(/^Request [\w-]{8,}$/);
  const self = await fetch(`${world.gateway.url}/v1/self`, { headers: { authorization: `Bearer ${key}` } });
  expect(await self.json()).toMatchObject({
    operatorId: viewerId,
    permissions: expect.arrayContaining(['device.read']),
  });
  await press('Close');
  await press('Replace the key report');
  await press('Issue the new key');
  await page.getByText('Copy it now').waitFor();
  await press('Close');
  await page.getByRole('button', { name: 'Actions for report' }).first().click();
  await page.getByRole('menuitem', { name: 'Revoke', exact: true }).click();
  await dialog().getByLabel('Type report to confirm').fill('report');
  await press('Revoke key');
  await page.getByRole('button', { name: /^Show \d+ ended keys?$/ }).click();
  await row('Revoked').waitFor();
});

it('locks a person, and lifts the lock', async () => {
  await open('/access?tab=locks');
  await press('Set a lock');
  await dialog().getByText('Still missing: what is locked, a reason').waitFor();
  await dialog().getByLabel('What is locked').selectOption('operator');
  await dialog().getByLabel('Person').selectOption(VIEWER);
  await dialog().getByLabel('Reason').fill('lost their laptop');
  await press('Lock');
  await row('lost their laptop').getByText(VIEWER).waitFor();
  await row('lost their laptop').getByRole('button', { name: 'Lift' }).click();
  await press('Lift lock');
  await page.getByText('Nothing is locked').waitFor();
  const { items } = await world.gateway.api.get<{ items: unknown[] }>('/v1/locks');
  expect(items).toEqual([]);
});

it('says on every screen that all writes are frozen', async () => {
  const { api } = world.gateway;
  const { id } = await api.post<{ id: string }>('/v1/locks', { kind: 'writes', reason: 'inventory' });
  await open('/jobs');
  const banner = page.getByRole('status').filter({ hasText: 'Writes frozen' });
  await banner.getByText(': inventory').waitFor();
  await api.send('DELETE', `/v1/locks/${id}`);
  await page.getByRole('status').filter({ hasText: 'Writes frozen' }).waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('status').filter({ hasText: 'Writes frozen' }).count()).toBe(0);
});

it('shows the settings, and finds one by a link', async () => {
  await open('/system?tab=settings&q=approval&set=yes');
  await row('APPROVAL_DEVICES').getByText('7', { exact: true }).waitFor();
  await page.getByLabel('Search').fill('session');
  await page.getByLabel('Only those that are set').uncheck();
  await row('SESSION_MAX_HOURS').getByText('12 hours', { exact: true }).waitFor();
  await row('SESSION_MAX_HOURS').getByText('After this time a person must sign in again, even when active').waitFor();
  await page.reload();
  await row('SESSION_MAX_HOURS').waitFor();
  await expect.poll(() => row('APPROVAL_DEVICES').count()).toBe(0);
});

it('ends all other sessions of the own account at once, and leaves that of this browser', async () => {
  const others = [1, 2, 3].map(() => new Browser(world.gateway.url));
  for (const one of others) expect((await one.login(world.name, world.password, world.code())).status).toBe(200);
  await open('/access?tab=account');
  const ends = page.getByRole('button', { name: 'End', exact: true });
  await page.getByRole('button', { name: /^\d+ sessions, newest/ }).click(); // equal ones are one row that opens
  await expect.poll(() => ends.count()).toBeGreaterThan(2);
  await press('End all others');
  await dialog()
    .getByText(/^\d browsers have to sign in again/)
    .waitFor();
  await dialog().getByRole('button', { name: 'End all others' }).click();
  await page.getByText('All your other sessions are ended').waitFor();
  await expect.poll(() => ends.count()).toBe(0);
  await page.getByText('this one', { exact: true }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'End all others' }).count()).toBe(0);
  for (const one of others) expect((await one.get('/v1/self')).status).toBe(401);
});

it('says what is missing of a device to add, and leaves the dialog', async () => {
  await open('/devices?add=one');
  const register = dialog().getByRole('button', { name: 'Register the device' });
  await dialog().getByText('Still missing: a name, an address').waitFor();
  await expect.poll(() => register.isDisabled()).toBe(true);
  await dialog().getByLabel('Name', { exact: true }).fill('pump-9');
  await dialog().getByText('Still missing: an address').waitFor();
  await dialog().getByLabel('Address').fill('https://127.0.0.1:9');
  await expect.poll(() => register.isDisabled()).toBe(false);
  await dialog().getByLabel('Name', { exact: true }).fill('');
  await dialog().getByLabel('Address').fill('');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
});
