import { type Page } from 'playwright-core';
import { violationsOf } from './axe.js';
import { type Theme } from './console-world.js';
import { whenInPage } from './in-page.js';

const THEMES: readonly Theme[] = ['light', 'dark', 'contrast'];
const WIDTHS = [1280, 390];

/**
 * Looks at a page in each theme and width; the window is as before afterwards.
 * @returns what axe and the width find, with the place
 */
export async function faultsOf(page: Page, what: string): Promise<string[]> {
  const faults: string[] = [];
  const size = page.viewportSize();
  for (const theme of THEMES) {
    await page.evaluate(
      `localStorage.setItem('fleetgate.theme', '${theme}'), dispatchEvent(new Event('fleetgate:theme'))`,
    );
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 844 });
      await whenInPage(page, `innerWidth === ${width}`);
      const place = `${what} ${theme} ${width}`;
      faults.push(...(await violationsOf(page)).map((fault) => `${place}: ${fault}`));
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) faults.push(`${place}: ${over} px wider than the window`);
    }
  }
  if (size) await page.setViewportSize(size);
  return faults;
}
