import { it } from 'vitest';
import { expectAtMost } from '../support/console/figures.js';

/* What a browser loads. The build ends with an error above these limits, too. */

const KB = 1000;

it('loads little', async () => {
  const { sizesOf, LIMITS } = (await import(new URL('../../../scripts/console-sizes.mjs', import.meta.url).href)) as {
    sizesOf: (folder: string) => {
      firstScripts: number;
      firstStyles: number;
      screens: readonly { name: string; bytes: number }[];
    };
    LIMITS: Readonly<Record<'firstScripts' | 'firstStyles' | 'screen', number>>;
  };
  const { firstScripts, firstStyles, screens } = sizesOf('dist/console');
  expectAtMost('B1', 'kB of scripts of the first load', firstScripts / KB, LIMITS.firstScripts / KB);
  expectAtMost('B1', 'kB of styles of the first load', firstStyles / KB, LIMITS.firstStyles / KB);
  const largest = Math.max(...screens.map(({ bytes }) => bytes));
  expectAtMost('B1', `kB of the largest of ${screens.length} screens besides`, largest / KB, LIMITS.screen / KB);
});
