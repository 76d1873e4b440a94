import { type Page } from 'playwright-core';

/* Scripts of the tests in a page. They are texts: the program of the tests has no types of browsers. */

/**
 * Waits for an expression of the page, and looks with each picture. (`waitForFunction` compiles in the page, which the
 * content policy forbids.)
 * @returns milliseconds since the page was opened
 */
export function whenInPage(page: Page, expression: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => ((${expression}) ? resolve(performance.now()) : requestAnimationFrame(look));
    look();
  })`);
}

/** Waits until a screen has its heading and reads nothing any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.waitForLoadState('load');
  await whenInPage(page, `!document.querySelector('main [aria-busy=true], dialog [aria-busy=true]')`);
}

/** Whether the screen is that of an address of nothing. */
const IS_NOWHERE = `document.querySelector('main h1')?.textContent === 'There is no such screen'`;

/**
 * Shows another screen without a load, as a link of the console does. The screen before is gone first, with its dialogs.
 * @param path below /console
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.bringToFront(); // a page behind another one draws once a second
  const to = (address: string) => page.evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${address}`)})`);
  await to('/no-such-screen');
  await whenInPage(page, IS_NOWHERE);
  await to(path);
  await whenInPage(page, `!(${IS_NOWHERE})`);
  await settled(page);
}
