import { type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { violationsOf } from '../support/console/axe.js';
import { startConsoleWorld, type ConsoleWorld, type Theme } from '../support/console/console-world.js';
import { expectNone } from '../support/console/figures.js';
import { settled, whenInPage } from '../support/console/in-page.js';
import { startRealFleet, type RealFleet } from '../support/console/real-fleet.js';

/* Every screen in every theme and width: full, empty, and while the gateway answers with errors. */

const THEMES: readonly Theme[] = ['light', 'dark', 'contrast'];
const WIDTHS = [1280, 390];

const LISTS = [
  '/',
  '/devices',
  '/devices?add=import',
  '/fan-outs',
  '/fan-outs/new',
  '/rollouts',
  '/rollouts/new',
  '/schedules',
  '/jobs',
  '/backups',
  '/artifacts',
  '/certificates',
  '/audit',
  '/access',
  '/access?tab=roles',
  '/access?tab=explain',
  '/access?tab=keys',
  '/access?tab=sessions',
  '/access?tab=account',
  '/access?tab=approvals',
  '/access?tab=locks',
  '/system',
];

const objectsOf = ({ ids, jobId, rolloutId, fanOutId }: RealFleet) => [
  ...['overview', 'status', 'configuration', 'jobs', 'backups', 'trust', 'sessions', 'audit', 'api'].map(
    (tab) => `/devices/${ids[0]}?tab=${tab}`,
  ),
  `/jobs/${jobId}`,
  `/rollouts/${rolloutId}`,
  `/fan-outs/${fanOutId}`,
];

/** @returns what axe and the width find, with the place */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  const faults: string[] = [];
  for (const theme of THEMES) {
    await page.evaluate(
      `localStorage.setItem('fleetgate.theme', '${theme}'), dispatchEvent(new Event('fleetgate:theme'))`,
    );
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await whenInPage(page, `innerWidth === ${width}`);
      const place = `${path} ${theme} ${width}`;
      faults.push(...(await violationsOf(page)).map((fault) => `${place}: ${fault}`));
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) faults.push(`${place}: ${over} px wider than the window`);
    }
  }
  return faults;
}

async function expectAccessible(world: ConsoleWorld, what: string, paths: readonly string[]): Promise<void> {
  const faults: string[] = [];
  for (const path of paths) {
    const page = await world.open(path);
    await settled(page);
    faults.push(...(await faultsOf(page, path)));
    await page.close();
  }
  expectNone('B4', `what axe finds on ${paths.length} ${what} × 3 themes × 2 widths`, faults);
}

describe('the screens of a gateway without devices', () => {
  let world: ConsoleWorld;
  beforeAll(async () => (world = await startConsoleWorld({ ROLE: 'api' })));
  afterAll(() => world.close());

  it('are accessible when they are empty', () => expectAccessible(world, 'empty screens', LISTS));

  it('are accessible while the gateway answers with errors', async () => {
    const problem = {
      code: 'database_unavailable',
      title: 'The database does not answer',
      status: 503,
      requestId: 'r-1',
    };
    const faults: string[] = [];
    for (const path of LISTS) {
      const page = await world.open('/sign-in');
      await page.route(/\/v1\/(?!self$|events)/, (route) =>
        route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
      );
      await page.goto(`${world.gateway.url}/console${path}`);
      await settled(page);
      faults.push(...(await faultsOf(page, path)));
      await page.close();
    }
    expectNone('B4', `what axe finds on ${LISTS.length} screens with an error × 3 themes × 2 widths`, faults);
  });
});

describe('the screens of a fleet', () => {
  let world: ConsoleWorld;
  let real: RealFleet;
  beforeAll(async () => {
    world = await startConsoleWorld();
    real = await startRealFleet(world.gateway);
  });
  afterAll(async () => {
    await real?.fleet.close();
    await world.close();
  });

  it('are accessible', () => expectAccessible(world, 'full screens', [...LISTS, ...objectsOf(real)]));
});
