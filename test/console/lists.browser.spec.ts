import { type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { goTo, settled } from '../support/console/in-page.js';
import { isLongForm } from '../support/forms.js';
import { startRealFleet, type RealFleet } from '../support/console/real-fleet.js';
import { until } from '../support/until.js';

/*
 * Every list but that of devices, which has a file of its own: its filters are set as a person does it, and must be there after a
 * reload and in another browser that opens the same address. The long form does so with each of them alone.
 */

/** Screens with a list, and whether it has controls that narrow it. */
const LISTS: readonly (readonly [path: string, hasFilters: boolean])[] = [
  ['/configuration', true],
  ['/configuration?tab=table', true],
  ['/configuration?tab=watches', false],
  ['/fan-outs', false], // too few to narrow
  ['/fan-outs?state=ended', true],
  ['/rollouts', false],
  ['/rollouts?kind=reboot', true],
  ['/schedules', false],
  ['/schedules?tab=calendar', true],
  ['/jobs', true],
  ['/backups', true],
  ['/backups?tab=files', false],
  ['/backups?tab=files&device=name:router-2', true],
  ['/backups?tab=policies', false],
  ['/artifacts', false],
  ['/artifacts?tab=files', true],
  ['/certificates', false],
  ['/certificates?tab=expiring', true],
  ['/audit', true],
  ['/access?tab=people', false],
  ['/access?tab=roles', false],
  ['/access?tab=keys', false],
  ['/access?tab=sessions', false],
  ['/access?tab=approvals', false],
  ['/access?tab=locks', false],
  ['/system', false],
  ['/system?tab=webhooks', false],
];

/** Rows of one page of the API. */
const PAGE = 100;

let world: ConsoleWorld;
let real: RealFleet;
let webhookId: string;
let page: Page;
/** Another browser. */
let there: Page;

beforeAll(async () => {
  world = await startConsoleWorld();
  real = await startRealFleet(world.gateway);
  const { api } = world.gateway;
  await until(async () => (await api.get<{ phase: string }>(`/v1/jobs/${real.jobId}`)).phase === 'ended');
  await until(async () => (await api.get<{ state: string }>(`/v1/fan-outs/${real.fanOutId}`)).state === 'ended');
  const hook = { name: 'chat', url: 'https://chat.example/hook', types: ['rollout.*'], enabled: false };
  ({ id: webhookId } = await api.post<{ id: string }>('/v1/webhooks', hook));
  const rollout = { name: 'restarts', kind: 'reboot', selector: 'all' };
  await api.post('/v1/schedules', { name: 'restarts', rhythm: { cron: '0 5 * * 1' }, rollout });
  page = await world.open('/');
  there = await world.open('/', { isFresh: true });
});
afterAll(async () => {
  await real?.fleet.close();
  await world.close();
});

describe('what a person reads of a device', () => {
  const reads = async () =>
    (await world.gateway.api.get<{ items: { subject: string }[] }>('/v1/audit?action=device.read_secrets')).items.map(
      ({ subject }) => subject,
    );
  const path = '/api/wireguard/config';

  it('is without secrets on every tab, and with them and an entry of the audit when the person asks', async () => {
    const device = `/devices/${real.ids[0]}`;
    for (const tab of ['overview', 'status', 'jobs', 'backups', 'trust', 'sessions', 'audit', 'api', 'configuration']) {
      await goTo(page, `${device}?tab=${tab}`);
      await settled(page);
    }
    await goTo(page, `${device}?tab=configuration&service=${path}`);
    const show = page.getByRole('button', { name: 'Show secrets' });
    await show.waitFor();
    await settled(page);
    await goTo(page, `${device}?tab=api&method=GET&path=${path}`);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The device answered 200').waitFor();
    expect(await reads()).toEqual([]);

    await page.getByLabel('Show secrets').check();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await until(async () => (await reads()).length === 1);
    await goTo(page, `${device}?tab=configuration&service=${path}`);
    await show.click();
    await page.getByText('The audit log records that you read secrets').waitFor();
    await until(async () => (await reads()).length === 2);
    expect(await reads()).toEqual([`GET ${path}`, `GET ${path}`]);
  });
});

const controlsOf = (page: Page): Locator =>
  page.locator('main [role=search]').locator('select, input:not([type=checkbox]):not([type=radio])');

/** Opens what is folded above a short list. */
async function unfold(): Promise<void> {
  await page.evaluate(`for (const folded of document.querySelectorAll('main details')) folded.open = true`);
  const filter = page.getByRole('main').getByRole('button', { name: 'Filter', exact: true, expanded: false });
  for (const button of await filter.all()) await button.click();
}

/** A value that the control does not have. Null: there is no other one. */
async function otherValue(control: Locator): Promise<string | null> {
  const { tag, type, label, options } = await control.evaluate((element) => ({
    tag: element.tagName,
    type: element.getAttribute('type'),
    label: (element as unknown as { labels: { textContent: string }[] }).labels[0]?.textContent ?? '',
    options: [...element.querySelectorAll('option:not(:checked)')].map((one) => one.getAttribute('value')),
  }));
  if (tag === 'SELECT') return options.find((value) => value !== '') ?? null;
  if (type === 'datetime-local') return '2026-01-02T03:04';
  if (type === 'date') return '2026-01-02';
  if (type === 'number') return '30';
  return /selector/i.test(label) ? 'site:north' : 'router-1';
}

async function setTo(control: Locator, value: string): Promise<void> {
  if (await control.evaluate((element) => element.tagName === 'SELECT'))
    return void (await control.selectOption(value));
  await control.fill(value);
  await control.press('Enter');
}

/** What a person sees of the state of the screen: its tab, the values of its filters, and its rows without their ages. */
const stateOf = (page: Page) =>
  page.evaluate<string>(`JSON.stringify({
    title: document.querySelector('main h1').textContent,
    current: [...document.querySelectorAll('main [aria-current]')].map((one) => one.textContent),
    controls: [...document.querySelectorAll('main [role=search] select, main [role=search] input')].map((one) => one.value),
    rows: [...document.querySelectorAll('main tbody tr')].map((row) => {
      const copy = row.cloneNode(true);
      for (const time of copy.querySelectorAll('time')) time.remove();
      return copy.textContent;
    }),
  })`);

/** How long two pages may differ: names of devices and new rows come a little later. */
const LOOKS_MS = 60_000;

/** @returns what both show, where they differ for too long; null: they are the same */
async function differenceOf(page: Page, copy: Page): Promise<string | null> {
  const endsAt = performance.now() + LOOKS_MS;
  for (;;) {
    const [one, other] = await Promise.all([stateOf(page), stateOf(copy)]);
    if (one === other) return null;
    if (performance.now() > endsAt) return `${one} is ${other}`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens the address of the page in another browser, then reloads the page. @returns what is lost */
async function lossesOf(what: string): Promise<string[]> {
  await there.goto(page.url());
  await settled(there);
  const byLink = await differenceOf(page, there);
  await page.reload();
  await settled(page);
  const byReload = await differenceOf(page, there);
  return [
    ...(byLink === null ? [] : [`${what}, by a link: ${byLink}`]),
    ...(byReload === null ? [] : [`${what}, by a reload: ${byReload}`]),
  ];
}

/** Sets some filters of a list. @returns what is lost, or which of them the address does not have */
async function lossesOfFilters(path: string, places: readonly number[]): Promise<string[]> {
  await goTo(page, path);
  const lost: string[] = [];
  let what = path;
  for (const at of places) {
    await unfold();
    const control = controlsOf(page).nth(at);
    const value = await otherValue(control);
    if (value === null) continue;
    what += `, filter ${at + 1} as ${value}`;
    const before = page.url();
    await setTo(control, value);
    if (!(await isLeft(before))) lost.push(`${what}: the address does not have it`);
    await settled(page);
  }
  return what === path ? lost : [...lost, ...(await lossesOf(what))];
}

const isLeft = (address: string): Promise<boolean> =>
  page
    .waitForURL((url) => url.href !== address)
    .then(
      () => true,
      () => false,
    );

describe('the state of every list', () => {
  it.each(LISTS)(
    'of %s is in its address: filters and tabs survive a reload and a pasted link',
    async (path, hasFilters) => {
      await goTo(page, path);
      const lost = await lossesOf(path);
      await unfold();
      const filters = await controlsOf(page).count();
      if (filters > 0 !== hasFilters) lost.push(`${path} has ${filters} filters`);
      const places = Array.from({ length: filters }, (_, at) => at);
      for (const some of isLongForm ? places.map((at) => [at]) : [places])
        lost.push(...(await lossesOfFilters(path, some)));
      expectNone('B6', 'states of another list that are lost', lost);
    },
  );

  it('is in the addresses of lists within an object', async () => {
    const lost: string[] = [];
    const device = `/devices/${real.ids[0]}`;
    const paths = [
      `/fan-outs/${real.fanOutId}?outcome=succeeded`,
      `/rollouts/${real.rolloutId}?state=waiting`,
      `/system?tab=webhooks&webhook=${webhookId}&state=failed`,
      ...['overview', 'history', 'jobs', 'backups', 'trust', 'sessions', 'audit'].map((tab) => `${device}?tab=${tab}`),
      `${device}?tab=api&operations=wireguard`,
      `${device}?tab=configuration&services=firewall&readOnly=yes`,
    ];
    for (const path of paths) {
      await goTo(page, path);
      lost.push(...(await lossesOf(path)));
    }
    expectNone('B6', `states of ${paths.length} lists within an object that are lost`, lost);
  });

  it('is how far it was opened, until another filter is chosen', async () => {
    for (let count = 0; count < PAGE + 20; count++) {
      await world.gateway.api.client.request('POST', `/v1/artifacts?kind=file&name=notes-${count}.txt`, {
        content: `note ${count}`,
        headers: { 'content-type': 'application/octet-stream' },
      });
    }
    await goTo(page, '/artifacts?kind=file');
    await page.getByRole('button', { name: 'Show more' }).click();
    const last = page.getByRole('link', { name: 'notes-0.txt', exact: true });
    await last.waitFor();
    const rows = await page.locator('main tbody tr').count();
    const lost = await lossesOf('the open pages of /artifacts');
    await last.waitFor();
    await expect.poll(() => page.locator('main tbody tr').count()).toBe(rows);
    expectNone('B6', 'open pages of a list that are lost', lost);
    await page.locator('main [role=search] select').first().selectOption('any');
    await page.waitForURL((url) => !url.searchParams.has('pages'));
  });
});
