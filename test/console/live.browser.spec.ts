import { setTimeout as sleep } from 'node:timers/promises';
import { type CDPSession } from 'playwright-core';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConsoleWorld, type ConsoleWorld } from '../support/console/console-world.js';
import { CutProxy } from '../support/console/cut-proxy.js';
import { expectNone, expectTimeAtMost } from '../support/console/figures.js';
import { whenInPage } from '../support/console/in-page.js';
import { sizeOf } from '../support/forms.js';
import { until } from '../support/until.js';

/* One stream of events for all screens: many events a second, and a stream that breaks. */

const EVENTS_PER_SECOND = 500;

/** The share of busy time does not depend on it. The shift is a sum: the long form gives it six times as long to grow. */
const SECONDS = sizeOf({ short: 10, long: 60 });

/** The age of stale screens is to ten seconds. */
const TICK_SECONDS = 10;
const TICKS = 12;
const IS_OLD = / ([2-9]\d s|\d+ min)$/;

const PARTS = 10;

let world: ConsoleWorld;
let db: pg.Client;
let origin: string;
const proxy = new CutProxy(() => new URL(world.gateway.url));

beforeAll(async () => {
  origin = await proxy.start();
  world = await startConsoleWorld({ ROLE: 'api' }, [origin]);
  db = new pg.Client({ connectionString: world.gateway.databaseUrl });
  await db.connect();
  await db.query(`
    insert into device (id, name, base_url, site, tags, model, state, created_at, updated_at)
    select gen_random_uuid(), 'router-' || lpad(n::text, 3, '0'), 'https://10.0.1.' || n, 'site', array['pump'], 'RUTX50', 'online',
           now(), now()
      from generate_series(1, 200) as n`);
});
afterAll(async () => {
  await db.end();
  await world.close();
  proxy.close();
});

/**
 * Events as the gateway writes them, half of devices and half of jobs.
 * @param state that the events tell; absent: the one that the device has
 */
async function writeEvents(count: number, state: 'online' | 'offline' | null = null): Promise<void> {
  await db.query(
    `insert into event (type, subject, device_id, data)
     select case when n % 2 = 0 then 'job.ended' else 'device.' || coalesce($2, state) end, id::text, id, jsonb_build_object('name', name)
       from generate_series(1, $1::int) as n
            join lateral (select id, name, state from device order by name offset n % 200 limit 1) as device on true`,
    [count, state],
  );
}

/** Each row changes its state ten times a second. */
async function writeEventsFor(seconds: number): Promise<void> {
  const startedAt = performance.now();
  for (let part = 1; part <= seconds * PARTS; part++) {
    await writeEvents(EVENTS_PER_SECOND / PARTS, part % 2 === 0 ? 'online' : 'offline');
    await sleep(Math.max(0, startedAt + (part * 1000) / PARTS - performance.now()));
  }
}

/** Seconds that the main thread has worked. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

describe('500 events a second', () => {
  it.each(['/devices', '/', '/jobs'])('leave the main thread free on %s, and nothing moves', async (path) => {
    const page = await world.open(path, { isFresh: true });
    await page.locator('main h1').waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    await whenInPage(page, `!document.querySelector('main [aria-busy=true]')`);
    await page.evaluate(`
      globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) shift += value;
      }).observe({ type: 'layout-shift' })`);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    // The events are shown, too: for a moment, since the rows that are read again say online.
    await page.evaluate(`
      globalThis.isShown = false;
      new MutationObserver(() => {
        isShown ||= document.querySelector('[data-windowed]')?.textContent.includes('Offline') ?? false;
      }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    await writeEvents(EVENTS_PER_SECOND, 'offline');
    if (path === '/devices') await whenInPage(page, 'isShown');
    const [workBefore, startedAt] = [await workOf(session), performance.now()];
    await writeEventsFor(SECONDS);
    const busy = ((await workOf(session)) - workBefore) / ((performance.now() - startedAt) / 1000);
    expectTimeAtMost('B3', 'share of the time in which the main thread works', busy, 0.3);
    const shift = await page.evaluate<number>('shift');
    // On a slow machine what a screen reads last comes while it is looked at.
    expectTimeAtMost('B3', 'layout shift while it is looked at', shift, 0.02);
    await page.close();
  });
});

describe('a stream of events that breaks', () => {
  afterEach(() => proxy.mend());

  it('marks the screen as stale, and catches up', async () => {
    const page = await world.open('/no-such-screen', { origin, isFresh: true });
    await page.clock.install(); // of the page: its half a minute passes at once
    await page.goto(`${origin}/console/devices`);
    await page.getByRole('link', { name: 'router-001' }).waitFor();
    await page.getByRole('button', { name: 'Live' }).waitFor();
    proxy.cut();
    await page.getByText(/^.?Stale, no events for/).waitFor();
    await db.query(`update device set state = 'offline', updated_at = now() where name = 'router-003'`);
    await writeEvents(3);
    const mark = page.getByText(/^.?Stale, no events for/);
    // An answer that comes after the jump sets the page back to the gateway's time: then the age begins again.
    let age = '';
    for (let tick = 1; tick <= TICKS && !IS_OLD.test(age); tick++) {
      await page.clock.runFor(TICK_SECONDS * 1000);
      age = await mark.innerText();
    }
    const missing = IS_OLD.test(age) ? [] : [age];
    expectNone('B10', 'marks of stale data that are missing while the stream is broken', missing);
    proxy.mend();
    await until(async () => {
      await page.clock.runFor(5_000); // the pause before the stream is opened again
      return page.getByRole('button', { name: 'Live' }).isVisible();
    });
    const row = page.locator('[data-windowed] [role="row"]:not([aria-rowindex="1"])', { hasText: 'router-003' });
    await row.getByText('Offline').waitFor();
    expectNone(
      'B10',
      'changes that are not caught up',
      (await row.textContent())?.includes('Offline') ? [] : ['router-003'],
    );
    await page.close();
  });

  it('holds the screen still while it is paused, and counts what is new', async () => {
    const page = await world.open('/devices');
    await page.getByRole('button', { name: 'Live' }).click();
    await db.query(`update device set state = 'offline', updated_at = now() where name = 'router-004'`);
    await writeEvents(7);
    await page.getByRole('button', { name: /\d+ new/ }).waitFor();
    const row = page.locator('[data-windowed] [role="row"]:not([aria-rowindex="1"])', { hasText: 'router-004' });
    await expect.poll(() => row.getByText('No login').isVisible()).toBe(true); // these devices have none, and that is shown while they are online
    await page.getByRole('button', { name: /\d+ new/ }).click();
    await row.getByText('Offline').waitFor();
    await page.close();
  });
});
