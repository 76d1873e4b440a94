import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/api-client/permission-words.js';
import { ERRORS } from '../../../src/platform/errors.js';
import { shownTexts } from '../../support/source/shown-texts.js';

/* What stands in the sources of the console and is shown: words for people, without the names that programs have. */

const CODE_NAMES = [...Object.keys(ERRORS), ...Object.keys(PERMISSIONS)].filter((name) => /[._]/.test(name));
const CODE = new RegExp(`\\b(${CODE_NAMES.map((name) => name.replaceAll('.', '\\.')).join('|')})\\b`);

const MARKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a mark of code', /`/],
  ['an address of the API', /\b(GET|POST|PUT|PATCH|DELETE) \//],
  ['a value that is not there', /\bundefined\b|\bnull\b/],
  ['a fact that was not filled in', /\{\w+\}/],
  ['the name of an error or a permission', CODE],
];

it.each(MARKS)('does not show %s', (_what, pattern) => {
  const texts = shownTexts();
  expect(texts.length).toBeGreaterThan(1_000);
  const wrong = texts.filter(({ text }) => pattern.test(text));
  expect(wrong.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});
