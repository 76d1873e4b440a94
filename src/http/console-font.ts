import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/* The font of the console for pages that the gateway makes: the same file, so that a browser that has it reads nothing. */

const ASSETS = fileURLToPath(new URL('../../../dist/console/assets/', import.meta.url));

const LATIN = /^inter-latin-wght-normal-[\w-]+\.woff2$/;

/** The rule that names the font; empty without a build of the console: the font of the system stays. @param root the way to `/`, such as `../` */
export function consoleFont(root: string): string {
  const file = existsSync(ASSETS) ? readdirSync(ASSETS).find((name) => LATIN.test(name)) : undefined;
  if (file === undefined) return '';
  return `@font-face { font-family: 'Inter Variable'; font-weight: 100 900; font-display: swap;
  src: url('${root}console/assets/${file}') format('woff2'); }
`;
}
