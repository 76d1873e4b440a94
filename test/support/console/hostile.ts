import { type Page } from 'playwright-core';
import { settled, whenInPage } from './in-page.js';

/* Texts that devices and callers may send, and what a page must not do with them. */

export const MARKUP = `<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=1</script>`;

export const HOSTILE = [
  MARKUP,
  `"><svg onload=globalThis.hit=1>`,
  `javascript:globalThis.hit=1`,
  `\u202egnitset\u202c \u2066right\u2069 \u200b\ufeff`,
  `W${'i'.repeat(10_000)}de`,
  `\u0007\u001b[31mred\u001b[0m \u0085 tab\there`,
  `{{constructor.constructor('globalThis.hit=1')()}}`,
];

const WIDTHS = [390, 1280];

/** What a text of a screen did that it must not do, in each width. @param path of the screen, for the message */
export async function harmOf(page: Page, path: string): Promise<string[]> {
  const harm: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 844 });
    await whenInPage(page, `innerWidth === ${width}`);
    await settled(page);
    const ran = await page.evaluate<boolean>(
      `'hit' in globalThis || document.querySelector('main img, main svg[onload]') !== null`,
    );
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (ran) harm.push(`${path} ${width}: ran`);
    if (over > 0) harm.push(`${path} ${width}: ${over} px wider than the window`);
  }
  return harm;
}
