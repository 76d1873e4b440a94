import { type Page } from 'playwright-core';
import { whenInPage } from './in-page.js';

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

/** What a text did that it must not do. */
export async function harmOf(page: Page, path: string): Promise<string[]> {
  await page.locator('main h1').first().waitFor();
  await whenInPage(page, `!document.querySelector('main [aria-busy=true]')`);
  const ran = await page.evaluate<boolean>(
    `'hit' in globalThis || document.querySelector('main img, main svg[onload]') !== null`,
  );
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return [...(ran ? [`${path}: ran`] : []), ...(over > 0 ? [`${path}: ${over} px wider than the window`] : [])];
}
