import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/api-client/permission-words.js';
import { ERRORS } from '../../../src/platform/errors.js';
import { listFiles } from '../../support/source/import-graph.js';
import { countedNouns, shownTexts } from '../../support/source/shown-texts.js';

/* What stands in the sources of the console and is shown: words for people, without the names that programs have. */

const CODE_NAMES = [...Object.keys(ERRORS), ...Object.keys(PERMISSIONS)].filter((name) => /[._]/.test(name));
const CODE = new RegExp(`\\b(${CODE_NAMES.map((name) => name.replaceAll('.', '\\.')).join('|')})\\b`);

const MARKS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a mark of code', /`/],
  ['an address of the API', /\b(GET|POST|PUT|PATCH|DELETE) \//],
  ['a value that is not there', /\bundefined\b|\bnull\b/],
  ['a fact that was not filled in', /\{\w+\}/],
  ['the name of an error or a permission', CODE],
  [
    'a second name of the bulk query, outside of commands',
    /\bfan-outs?\b(?! (?:get|post|put|delete|retry|cancel) )|Call many/i,
  ],
  ['the file of a document, in place of a link to it', /\bdocs\/|\.md\b/],
];

const texts = shownTexts();

it.each(MARKS)('does not show %s', (_what, pattern) => {
  expect(texts.length).toBeGreaterThan(1_000);
  const wrong = texts.filter(({ text }) => pattern.test(text));
  expect(wrong.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

/** Nouns that are counted. Behind a figure they are written by `countText`, which knows that of one. */
const NOUNS =
  'addresses alerts answers backups calls certificates days devices entries errors files handshakes hours imports jobs keys leaves lines logins minutes models others people points policies problems rollouts rows rules samples sessions sites steps values warnings waves';

/** No figure, or a constant above one. */
const EXCEPTIONS = [
  'device.name} answers',
  'samples this device',
  'rows chosen or left out',
  'DAYS} days',
  'form.type} certificates',
  'of.id} certificates',
];

it('writes a count and its noun by Intl', () => {
  const wrong = countedNouns(NOUNS.split(' ')).filter(({ text }) => !EXCEPTIONS.some((said) => text.includes(said)));
  expect(wrong.map(({ file, line, text }) => `${file}:${line} ${text}`)).toEqual([]);
});

it('links to documents that there are', () => {
  const sources = listFiles('console/src').map((file) => readFileSync(file, 'utf8'));
  const linked = sources.flatMap((text) => [...text.matchAll(/<DocLink of="([^"]+)"/g)].map(([, name]) => name!));
  expect(linked.length).toBeGreaterThan(3);
  expect(linked.filter((name) => !existsSync(`docs/${name}.md`) && !existsSync(`docs/${name}`))).toEqual([]);
});
