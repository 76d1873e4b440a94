import { type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ReachabilityWatch } from '../../../src/proxy/connections/reachability-watch.js';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { goTo } from '../../support/console/in-page.js';
import { type RealFleet, startRealFleet } from '../../support/console/real-fleet.js';

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
  await page.getByRole('button', { name: 'Check now' }).click();
  await stages.getByText(/^after \d+ ms$/).waitFor();
  faults.remove(fault);
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByRole('heading', { name: 'It answers again' }).waitFor();
  expect(await stages.getByText(/^✓ \d+ ms$/).count()).toBe(3);
  expect(await page.getByRole('heading', { name: 'It does not answer' }).count()).toBe(0);
});
