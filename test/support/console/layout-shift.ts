import { setTimeout as sleep } from 'node:timers/promises';
import { type Page } from 'playwright-core';
import { whenInPage } from './in-page.js';

/** In which order the answers of the gateway come. */
export type Order = 'the first first' | 'the last first';

const APART_MS = 40;
const REQUESTS = 20;

/**
 * Loads a screen whose answers come one after the other.
 * @param address of the screen
 * @param isRead an expression of the page
 * @returns the sum of its layout shifts until it is read
 */
export async function shiftWhileRead(page: Page, address: string, order: Order, isRead: string): Promise<number> {
  await page.addInitScript(`globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) shift += value;
    }).observe({ type: 'layout-shift', buffered: true })`);
  let count = 0;
  await page.route(/\/v1\/(?!events|self)/, async (route) => {
    const place = count++;
    await sleep(APART_MS * (order === 'the first first' ? place : Math.max(0, REQUESTS - place)));
    await route.continue();
  });
  await page.goto(address);
  await whenInPage(page, `(${isRead}) && !document.querySelector('main [aria-busy=true]')`);
  const shift = await page.evaluate<number>('shift');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  return shift;
}
