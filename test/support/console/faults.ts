import { type Page } from 'playwright-core';
import { isLongForm } from '../forms.js';
import { type Rules, violationsOf } from './axe.js';
import { whenInPage } from './in-page.js';

/*
 * Themes differ in colours alone (test/console/units/themes.spec.ts), and an element has the same colours in each width. So the
 * short form looks with all rules once in each width, each in another theme, and with those of colours in the third theme; at an
 * empty or refused screen, which is made of the same parts, once. The long form looks with all rules in all.
 */

const NARROW = 390;
const WIDE = 1280;

type Look = readonly [width: number, theme: string, rules: Rules];

const SHORT: readonly Look[] = [
  [WIDE, 'contrast', 'colours'],
  [NARROW, 'dark', 'all'],
  [WIDE, 'light', 'all'],
];

const BRIEF: readonly Look[] = [[NARROW, 'light', 'all']];

/** By how much the document leaves the window. Only pages without the shell, such as the sign-in, may be higher: within it parts scroll. */
const OUTSIDE = `(() => {
  const { scrollWidth, scrollHeight } = document.documentElement;
  return [scrollWidth - innerWidth, document.querySelector('.shell') ? scrollHeight - innerHeight : 0];
})()`;

const LONG: readonly Look[] = [WIDE, NARROW].flatMap((width) =>
  ['dark', 'contrast', 'light'].map((theme): Look => [width, theme, 'all']),
);

/**
 * Looks at a page in the themes and widths, without a load. The page has the light theme and its own width afterwards.
 * @param isBrief one look in the short form
 * @returns what axe and the width find, with the place
 */
export async function faultsOf(page: Page, what: string, isBrief = false): Promise<string[]> {
  const looks = isLongForm ? LONG : isBrief ? BRIEF : SHORT;
  const faults: string[] = [];
  const size = page.viewportSize();
  for (const [width, theme, rules] of looks) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate(
      `localStorage.setItem('fleetgate.theme', '${theme}'), dispatchEvent(new Event('fleetgate:theme'))`,
    );
    await whenInPage(page, `innerWidth === ${width} && document.documentElement.dataset.theme === '${theme}'`);
    const place = `${what} ${theme} ${width}`;
    faults.push(...(await violationsOf(page, rules)).map((fault) => `${place}: ${fault}`));
    const [over, below] = await page.evaluate<[number, number]>(OUTSIDE);
    if (over > 0) faults.push(`${place}: ${over} px wider than the window`);
    if (below > 0) faults.push(`${place}: ${below} px higher than the window`);
  }
  if (size) await page.setViewportSize(size);
  return faults;
}
