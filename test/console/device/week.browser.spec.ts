import { type Page } from 'playwright-core';
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../../support/console/console-world.js';
import { expectAtMost, expectTimeAtMost, median } from '../../support/console/figures.js';
import { whenInPage } from '../../support/console/in-page.js';
import { addDevices } from '../../support/console/large-fleet.js';
import { shiftWhileRead } from '../../support/console/layout-shift.js';
import { sizeOf } from '../../support/forms.js';
import { addHistory, addLatestSamples } from '../../support/monitoring/sampled-fleet.js';

/* A large fleet with a week of samples: how soon a person can use the screens that show it. */

const DEVICES = 5_000;
const WEEK_S = 7 * 86_400;

/** Four samples a day of each device are 140,000 rows, three an hour 2.5 million. */
const EVERY_S = sizeOf({ short: 21_600, long: 1_200 });

/** As often as a sample can be taken: so many rows has the device whose chart is drawn. */
const CHART_EVERY_S = 240;

const LOADS = 3;

let world: ConsoleWorld;
let db: pg.Client;
let ids: string[];

beforeAll(async () => {
  world = await startConsoleWorld({ ROLE: 'api' });
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  await addDevices(db, DEVICES);
  await addLatestSamples(db);
  await addHistory(db, { devices: DEVICES, from: WEEK_S, every: EVERY_S });
  // The first devices by id have the samples of the charts.
  await addHistory(db, { devices: LOADS + 1, from: WEEK_S - 60, every: CHART_EVERY_S });
  const { rows } = await db.query<{ id: string }>('select id from device order by id limit $1', [LOADS + 1]);
  ids = rows.map(({ id }) => id);
});
afterAll(async () => {
  await db.end();
  await world.close();
});

/** Loads a screen several times. @returns milliseconds until it is usable, each; the first load fills caches, and is left out */
async function loads(path: (load: number) => string, isUsable: string, look?: (page: Page) => Promise<void>) {
  const times: number[] = [];
  for (let load = 0; load <= LOADS; load++) {
    const page = await world.open(path(load), { isFresh: true });
    times.push(await whenInPage(page, isUsable));
    await look?.(page);
    await page.close();
  }
  return times.slice(1);
}

/** All that the screen reads is there. */
const IS_READ = `document.querySelector('main h1') && !document.querySelector('main [aria-busy=true]')`;

describe('5,000 devices with a week of samples', () => {
  it('have an overview that is usable within a second', async () => {
    const count = DEVICES.toLocaleString('en-GB');
    const times = await loads(
      () => '/',
      `${IS_READ} && document.querySelector('main')?.innerText.includes('${count}')`,
    );
    expectTimeAtMost('B13', 'the overview is usable, after ms (median)', median(times), 1_000);
  });

  it('have pages and charts: a device within a second, its week within 300 ms of the choice', async () => {
    const charts: number[] = [];
    const times = await loads(
      (load) => `/devices/${ids[load]}?tab=status`,
      `${IS_READ} && document.querySelector('main canvas')`,
      async (page) => void charts.push(await timeOfWeek(page)),
    );
    expectTimeAtMost('B13', 'the page of a device with its chart is usable, after ms (median)', median(times), 1_000);
    expectTimeAtMost('B13', 'the chart of 7 days is drawn, ms after the choice (median)', median(charts.slice(1)), 300);
  });
});

describe('the page of a device', () => {
  it.each(['the first first', 'the last first'] as const)('moves nothing while its answers come, %s', async (order) => {
    const body = { kind: 'device', target: ids[0], reason: 'a flood' };
    const lock = await world.gateway.api.post<{ id: string }>('/v1/locks', body);
    const page = await world.open('/no-such-screen', { isFresh: true });
    const address = `${world.gateway.url}/console/devices/${ids[0]}`;
    const isRead = `document.querySelector('main canvas') && document.querySelector('main')?.innerText.includes('What happened') && document.querySelector('[aria-label="What is amiss"]')`;
    const shift = await shiftWhileRead(page, address, order, isRead);
    expectAtMost('B3', 'layout shift of a device while it is read', shift, 0.02);
    await page.close();
    await world.gateway.api.send('DELETE', `/v1/locks/${lock.id}`);
  });
});

/**
 * Chooses the week, and waits for its values in another canvas than that of the day. The screen shows the values of before until
 * then; those that came are drawn within two pictures.
 * @returns milliseconds in the page, from the choice on
 */
async function timeOfWeek(page: Page): Promise<number> {
  const time = page.getByRole('main').getByLabel('Time', { exact: true });
  await page.evaluate(`(() => {
    globalThis.ofTheDay = document.querySelector('main canvas');
    globalThis.pictures = 0;
    addEventListener('change', () => (globalThis.chosenAt = performance.now()), { capture: true, once: true });
  })()`);
  await time.selectOption({ label: 'a week' });
  const drawnAt = await whenInPage(
    page,
    `(() => {
      const canvas = document.querySelector('main canvas');
      const isHere = performance.getEntriesByType('resource')
        .some(({ name, startTime }) => name.includes('/sample/history') && startTime >= chosenAt);
      if (isHere && canvas && canvas !== ofTheDay) pictures++;
      return pictures > 2;
    })()`,
  );
  return drawnAt - (await page.evaluate<number>('chosenAt'));
}
