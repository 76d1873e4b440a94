import { type Locator, type Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SamplingPlanSweeper } from '../../../src/monitoring/sampling-plan.sweeper.js';
import { ReachabilityWatch } from '../../../src/proxy/connections/reachability-watch.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { goTo } from '../../support/console/in-page.js';
import { type RealFleet, startRealFleet } from '../../support/console/real-fleet.js';
import { until } from '../../support/until.js';

/* What a device shows of itself: why it is offline, its instruments, and its charts. */

let world: ConsoleWorld;
let real: RealFleet;
let page: Page;

beforeAll(async () => {
  world = await startConsoleWorld();
  real = await startRealFleet(world.gateway);
  Object.assign(world.gateway.gateway.app.get(ReachabilityWatch), { wasLateSince: () => false });
  page = await world.open('/');
});
afterAll(async () => {
  await world.close();
  await real.fleet.close();
});

const check = (index: number) => world.gateway.api.post<{ state: string }>(`/v1/devices/${real.ids[index]}/check`);

it('shows a device as instruments by one request, and reads nothing while it is paused or out of sight', async () => {
  const bulk: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/')) bulk.push(new URL(request.url()).pathname.replace(/.*\/api/, '/api'));
  });
  await page.clock.install();
  await goTo(page, `/devices/${real.ids[0]}?tab=status`);
  await page.getByRole('heading', { name: 'Signal' }).waitFor();
  await page.getByText(/^−?\d+ dBm, (?:excellent|good|fair|weak|no service)$/).waitFor();
  await page.getByText(/· [\d.]+ k?B since this page was opened$/).waitFor();
  const text = await page.locator('main').innerText();
  for (const title of ['Mobile network', 'Memory', 'Uptime', 'Load, 1 min', 'Clients: ']) expect(text).toContain(title);
  expect(text).not.toMatch(/null|NaN|undefined/);
  await page.locator('summary').filter({ hasText: 'All values' }).click();
  await page.getByLabel('Find a value').fill('mac');
  await page.getByText(/^\d+ of \d+ values$/).waitFor();
  const macs = await page.locator('main details[open] dd').allInnerTexts();
  expect(macs).toContainEqual(expect.stringMatching(/^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/));
  expect(macs.filter((mac) => /^[0-9A-F]{12}$/i.test(mac))).toEqual([]);
  expect(bulk).toEqual(['/api/bulk']);
  await page.clock.runFor(10_500);
  await page.getByText(/one request of [\d.]+ k?B each 10 s: [\d.]+ MB an hour/).waitFor();
  expect(bulk.length).toBe(2);
  const lan = page.getByRole('region', { name: 'Interfaces' }).getByRole('row').filter({ hasText: 'LAN' }).first();
  await lan
    .getByText(/^[\d.]+ [kM]?bit\/s$/)
    .first()
    .waitFor();
  await page
    .getByRole('region', { name: 'Clients' })
    .getByText(/^192\.168\.1\.\d+$/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.clock.runFor(60_000);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.evaluate(`document.querySelector('main').style.display = 'none'`);
  await page.evaluate(`new Promise((seen) => new IntersectionObserver(seen).observe(document.querySelector('main')))`);
  // The page hears of it a moment after the clock has moved on.
  await expect
    .poll(async () => {
      const before = bulk.length;
      await page.clock.runFor(60_000);
      return bulk.length - before;
    })
    .toBe(0);
  await page.evaluate(`document.querySelector('main').style.display = ''`);
});

it('says why a device is offline, checks it at once, and shows that it answers again', async () => {
  const { faults } = real.fleet.devices[2]!;
  await check(2);
  const fault = faults.add({ kind: 'refuse' });
  while ((await check(2)).state !== 'offline');
  await goTo(page, `/devices/${real.ids[2]}`);
  await page.getByRole('heading', { name: 'It does not answer' }).waitFor();
  const stages = page.getByRole('list', { name: 'Stages of the check' });
  await stages.getByRole('listitem').filter({ hasText: 'failed here' }).waitFor();
  await page.getByText(/others? at north/).waitFor();
  const other = await world.open(`/devices/${real.ids[2]}`);
  await other.getByRole('button', { name: 'Start a job' }).click();
  const dialog = other.getByRole('dialog', { name: /^Start a job on/ });
  await dialog.getByText('The job waits until the device answers, or until its time ends.').waitFor();
  await dialog.getByLabel('What to do').selectOption('reconcile');
  await dialog.getByText('No template is published yet.').waitFor(); // those that are can be chosen, none is typed
  await other.close();
  await page.getByRole('button', { name: 'Check now' }).click();
  await stages.getByText(/^after \d+ ms$/).waitFor();
  faults.remove(fault);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByRole('heading', { name: 'It answers again' }).waitFor();
  await expect.poll(() => stages.getByText(/^✓ \d+ ms$/).count()).toBe(3);
  await expect.poll(() => page.getByRole('heading', { name: 'It does not answer' }).count()).toBe(0);
});

it('reads the small charts of all rows by one request', async () => {
  const { app } = world.gateway.gateway;
  await world.gateway.api.post('/v1/monitoring/policies', { name: 'all', selector: 'all', everySeconds: 60 });
  await app.get(SamplingPlanSweeper).sweep();
  await app.get(DataSource).query('update monitored_device set due_at = now()');
  const isSampled = async (id: string) =>
    (await world.gateway.api.get<{ sample: object | null }>(`/v1/devices/${id}/sample`)).sample !== null;
  await until(async () => (await isSampled(real.ids[0]!)) && (await isSampled(real.ids[1]!)));
  const asked: number[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith('/sparklines')) asked.push(url.searchParams.get('ids')!.split(',').length);
  });
  await goTo(page, '/devices?columns=state,rsrp-24h');
  await page
    .getByRole('img', { name: /^Signal of 24 hours: from −\d+ dBm/ })
    .first()
    .waitFor();
  expect(asked).toEqual([real.ids.length]);
});

it('has the values among the usual columns where a collection reads them, and keeps the name in sight', async () => {
  await page.goto(`${world.gateway.url}/console/devices`); // no event tells of a collection that a program has added
  const titles = () => page.getByRole('table').getByRole('columnheader').allTextContents();
  const usual = ['Name ↑', 'State', 'Site', 'Model', 'Firmware', 'Signal, 24 h', 'Data, month', 'Last answer'];
  await expect.poll(async () => (await titles()).slice(1)).toEqual(usual);
  await goTo(page, '/devices?columns=state,site,model,firmware,serial,mac,address,note,changed,tags');
  const name = page.getByRole('link', { name: 'router-1', exact: true });
  const before = (await name.boundingBox())!;
  const list = page.getByRole('region', { name: 'Devices' });
  expect(await list.evaluate((box: { scrollLeft: number }) => (box.scrollLeft = 300))).toBeGreaterThan(0);
  await expect.poll(() => list.getAttribute('data-scrolled')).toBe('');
  expect((await name.boundingBox())!.x).toBe(before.x);
});

it('shows on the overview who was online, the signal, and the data of the month', async () => {
  await goTo(page, '/');
  await page.getByRole('img', { name: /^Devices online in the last 24 hours: [\d.]+ % online on average$/ }).waitFor();
  for (const title of ['Signal now', 'Data this month by operator', 'Most data this month'])
    await page.getByRole('heading', { name: title }).waitFor();
  const top = page.getByRole('listitem').filter({ hasText: /^router-\d+[\d.]+ [kMG]?B$/ });
  await expect.poll(() => top.count()).toBeGreaterThan(1);
});

it('shows on the first tab of a device its signal, its data a day, and what happened to it in one list', async () => {
  await goTo(page, `/devices/${real.ids[0]}`);
  await page
    .getByRole('img', { name: /^Signal \(RSRP\): lowest −\d+ dBm/ })
    .locator('canvas')
    .waitFor();
  const happened = page.getByRole('region', { name: 'What happened', exact: true });
  await expect.poll(() => happened.getByRole('columnheader').allInnerTexts()).toEqual(['When', 'What', 'How']);
  await happened.getByRole('link', { name: 'Job: Backup' }).first().waitFor();
  await page.getByRole('list', { name: 'Data of each day' }).getByRole('listitem').first().waitFor();
  await page.getByRole('button', { name: 'Copy the address' }).waitFor();
  await page.getByLabel('Time', { exact: true }).selectOption('168');
  await page
    .getByRole('img', { name: /^Signal \(RSRP\): lowest −\d+ dBm/ })
    .locator('canvas')
    .waitFor();
  await expect.poll(() => page.getByRole('group', { name: /^States of the last 7 days: / }).count()).toBe(1);
});

it('draws a chart anew where the system turns dark and the theme is that of the system', async () => {
  await page.evaluate(`localStorage.setItem('fleetgate.theme', 'system')`);
  await page.evaluate(`dispatchEvent(new Event('fleetgate:theme'))`);
  const canvas = page.getByRole('img', { name: /^Signal \(RSRP\): lowest −\d+ dBm/ }).locator('canvas');
  await canvas.waitFor();
  await expect.poll(() => lightness(canvas)).toBeLessThan(DARK_INK);
  await page.route('**/v1/**', () => undefined); // new values would draw it anew, too
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => lightness(canvas)).toBeGreaterThan(DARK_INK);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

/** The numbers of an axis are darker than this on a light ground, and lighter on a dark one: their mean of 0 to 255. */
const DARK_INK = 128;

interface Drawn {
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray };
  };
}

/** Of what is drawn left of the line: the numbers of the axis. */
const lightness = (canvas: Locator) =>
  canvas.evaluate((drawn: Drawn) => {
    const { data } = drawn.getContext('2d').getImageData(0, 0, 70, drawn.height);
    const shown = Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 4)).filter(
      ([, , , alpha]) => alpha! > 200,
    );
    return shown.reduce((sum, [red, green, blue]) => sum + (red! + green! + blue!) / 3, 0) / Math.max(1, shown.length);
  });
