import { type Page } from 'playwright-core';

/* Scripts of the tests in a page. They are texts: the program of the tests has no types of browsers. */

/** Only ends what hangs, on a busy machine too: an expression has no limit of the browser's own. */
const LIMIT_MS = 60_000;

/**
 * Waits for an expression of the page, and looks with each picture. (`waitForFunction` compiles in the page, which the
 * content policy forbids.)
 * @returns milliseconds since the page was opened
 * @throws what never came true, and on which screen
 */
export function whenInPage(page: Page, expression: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve, reject) => {
    const never = () => reject(new Error(${JSON.stringify(`Never true: ${expression}, at `)} + location.href));
    const limit = setTimeout(never, ${LIMIT_MS});
    const look = () => {
      if (!(${expression})) return void requestAnimationFrame(look);
      clearTimeout(limit);
      resolve(performance.now());
    };
    look();
  })`);
}

/** Waits until a screen has its heading and reads nothing any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor();
  await page.waitForLoadState('load');
  await whenInPage(page, `!document.querySelector('main [aria-busy=true], dialog [aria-busy=true]')`);
}

const NOWHERE = '/no-such-screen';

/** Whether the screen is that of an address of nothing. */
const IS_NOWHERE = `document.querySelector('main h1')?.textContent === 'There is no such screen'`;

const toPath = (path: string) => `history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`;

/**
 * Shows another screen without a load, as a link of the console does. The screen before is gone first, with its dialogs. An action
 * says that it is done, reads what has changed, and only then opens its own screen: that is waited for, and where it comes over the
 * address of nothing all the same, that address is opened again.
 * @param path below /console
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.bringToFront(); // a page behind another one draws once a second
  await whenInPage(page, `!document.querySelector('main button[aria-busy=true], dialog button[aria-busy=true]')`);
  await whenInPage(page, `${IS_NOWHERE} || (!location.pathname.endsWith('${NOWHERE}') && (${toPath(NOWHERE)}, false))`);
  await page.evaluate(toPath(path));
  await whenInPage(page, `!(${IS_NOWHERE})`);
  await settled(page);
}
