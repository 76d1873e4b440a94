import { type Page } from 'playwright-core';
import { isLongForm } from '../forms.js';
import { type Rules, violationsOf } from './axe.js';
import { whenInPage } from './in-page.js';

/*
 * Themes differ in colours alone (test/console/units/themes.spec.ts), so a rule of axe that does not look at colours finds the
 * same in each. The short form looks with all rules in one theme, and with those of colours in the others; the long form with all.
 */

const WIDTHS = [1280, 390];

const THEMES: readonly (readonly [theme: string, rules: Rules])[] = [
  ['dark', isLongForm ? 'all' : 'colours'],
  ['contrast', isLongForm ? 'all' : 'colours'],
  ['light', 'all'],
];

/**
 * Looks at a page in each theme and width, without a load. The page has the light theme and its own width afterwards.
 * @returns what axe and the width find, with the place
 */
export async function faultsOf(page: Page, what: string): Promise<string[]> {
  const faults: string[] = [];
  const size = page.viewportSize();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    await whenInPage(page, `innerWidth === ${width}`);
    for (const [theme, rules] of THEMES) {
      await page.evaluate(
        `localStorage.setItem('fleetgate.theme', '${theme}'), dispatchEvent(new Event('fleetgate:theme'))`,
      );
      await whenInPage(page, `document.documentElement.dataset.theme === '${theme}'`);
      const place = `${what} ${theme} ${width}`;
      faults.push(...(await violationsOf(page, rules)).map((fault) => `${place}: ${fault}`));
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (over > 0) faults.push(`${place}: ${over} px wider than the window`);
    }
  }
  if (size) await page.setViewportSize(size);
  return faults;
}
