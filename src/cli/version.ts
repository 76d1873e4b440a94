import { readFileSync } from 'node:fs';

/** The version of the product, from package.json three folders up in every build. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
