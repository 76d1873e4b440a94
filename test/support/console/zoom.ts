import { type Page } from 'playwright-core';
import { whenInPage } from './in-page.js';

/* The window at a zoom of 200 %: half as many pixels in each direction. */

const ZOOMED = { width: 640, height: 450 };

/** What a person presses or fills in. Only the dialog on top can be used where one is open. */
const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/** Brings each control into view, and names those of which then nothing is in the window. */
const OUT_OF_REACH = `(() => {
  const top = [...document.querySelectorAll('dialog[open], :popover-open')].at(-1) ?? document;
  return [...top.querySelectorAll('${CONTROLS}')].flatMap((control) => {
    if (!control.checkVisibility() || control.matches('.skip-link, :disabled')) return [];
    control.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
    const isSeen = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
    const fits = width > innerWidth || (left >= -1 && right <= innerWidth + 1);
    if (width === 0 || height === 0 || (isSeen && fits)) return [];
    return [(control.getAttribute('aria-label') ?? control.textContent ?? '').trim().slice(0, 40) || control.tagName];
  });
})()`;

/** What cannot be seen or reached at 200 %. The page has its own size afterwards. */
export async function zoomFaultsOf(page: Page, what: string): Promise<string[]> {
  const size = page.viewportSize();
  await page.setViewportSize(ZOOMED);
  await whenInPage(page, `innerWidth === ${ZOOMED.width}`);
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const lost = await page.evaluate<string[]>(OUT_OF_REACH);
  if (size) await page.setViewportSize(size);
  return [
    ...(over > 0 ? [`${what}: ${over} px wider than the window`] : []),
    ...lost.map((name) => `${what}: “${name}” is out of reach`),
  ];
}
