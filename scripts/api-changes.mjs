/*
 * A change of the API that breaks clients has an entry in CHANGELOG.md. What changed is seen from the OpenAPI document of the
 * commit on which this work is based. Prints the breaks without an entry, one a line, and ends with 1 where there is one.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { baseCommit, git } from './base-commit.mjs';
import { breaksBetween, withoutEntry } from './document/changes.mjs';

const DOCUMENT = 'docs/reference/openapi.json';
const root = fileURLToPath(new URL('..', import.meta.url));

const base = baseCommit();
const before = base === null ? null : git('show', `${base}:${DOCUMENT}`);
if (before === null) {
  console.log(base === null ? 'There is no history of git to compare with.' : `${base} has no ${DOCUMENT}.`);
} else {
  const read = (file) => readFileSync(`${root}${file}`, 'utf8');
  const breaks = withoutEntry(breaksBetween(JSON.parse(before), JSON.parse(read(DOCUMENT))), read('CHANGELOG.md'));
  for (const sentence of breaks) console.log(sentence);
  if (breaks.length > 0) {
    console.log('Name each of these operations between backticks in CHANGELOG.md, below "Unreleased".');
    process.exitCode = 1;
  }
}
