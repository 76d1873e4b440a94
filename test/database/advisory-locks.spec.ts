import { expect, it } from 'vitest';
import { ADVISORY_LOCK, ADVISORY_LOCK_OF } from '../../src/database/advisory-locks.js';
import { readTree } from '../support/source/import-graph.js';

/** What the call of a lock function may be given: a number of the table, or of the table with the hash of a subject. */
const LOCK_CALL = /pg_\w*advisory\w*\(([^)]*\)?)/g;
const GIVEN = ['$1)', '$1, hashtext($2)', '${ADVISORY_LOCK.jobDispatch})', '${ADVISORY_LOCK.dataKeys})'];

it('no two advisory locks share a number', () => {
  for (const table of [ADVISORY_LOCK, ADVISORY_LOCK_OF]) {
    const numbers = Object.values(table);
    expect(new Set(numbers).size).toBe(numbers.length);
  }
  // Of the other space: two 32-bit keys are never one of these.
  expect(Object.values(ADVISORY_LOCK).every((number) => number > 2 ** 32)).toBe(true);
});

it('every advisory lock in the source is of the one table', () => {
  const calls = [...readTree('src')].flatMap(([file, text]) =>
    [...text.matchAll(LOCK_CALL)].map(([, given]) => ({ file, given, known: text.includes('ADVISORY_LOCK') })),
  );
  const text = [...readTree('src')].map(([, source]) => source).join('\n');
  const unused = Object.keys(ADVISORY_LOCK).filter((name) => !new RegExp(`ADVISORY_LOCK\\.${name}\\b`).test(text));
  expect(unused).toEqual(['deviceAddresses']); // of a migration
  expect(calls.filter(({ given, known }) => !known || !GIVEN.includes(given!))).toEqual([]);
  const literals = [...readTree('src')].filter(
    ([file, text]) => /4_711_202|47112026/.test(text) && !file.endsWith('advisory-locks.ts'),
  );
  expect(literals.map(([file]) => file)).toEqual([]);
});
