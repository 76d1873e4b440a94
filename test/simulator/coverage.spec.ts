import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/device-api/contract.js';
import { declarationTable } from '../../src/simulator/device/declarations/table.js';
import { FAULT_KINDS } from '../../src/simulator/device/faults.js';
import { BARE_LISTS } from '../../src/simulator/services/bare-lists.js';
import { SERVICE_ROUTES } from '../../src/simulator/services/route-table.js';
import { PROJECT } from '../support/source/project.js';

const directory = new URL('test/simulator/', PROJECT);

/**
 * The rows of the documents that have to have a test, by table. A row is tested by the test that has it as its title. The
 * fields and options beside them are compared by `fields.spec.ts`.
 */
const {
  fields: _fields,
  options: _options,
  ...COVERAGE
} = JSON.parse(readFileSync(new URL('coverage.json', directory), 'utf8')) as {
  fields: object;
  options: object;
} & Record<string, string[]>;

const sources = readdirSync(directory)
  .filter((name) => name.endsWith('.spec.ts') && name !== 'coverage.spec.ts')
  .map((name) => readFileSync(new URL(name, directory), 'utf8'))
  .join('\n');

/** Titles of tests, and of the rows of `it.each` tables whose first column is the title. */
const titles = new Set([...sources.matchAll(/(?:\bit\(|\[)\s*'([^']+)',/g)].map(([, title]) => title));

describe('the tests of the simulator', () => {
  it.each(Object.entries<string[]>(COVERAGE))('cover every row of the table "%s"', (_table, rows) => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !titles.has(row))).toEqual([]);
  });

  it('list every error code of the contract', () => {
    expect(COVERAGE['codes']).toEqual(Object.keys(ERROR_CODES).map((code) => `code ${code}`));
  });

  it('ask for every route and every service', () => {
    const lists = new Set(BARE_LISTS.map((path) => `/api/${path}/config`));
    const routes = SERVICE_ROUTES.map(({ path }) => path).filter((path) => !lists.has(path));
    const services = [...declarationTable().keys()];
    const isAsked = (path: string, end: string) =>
      new RegExp(path.replaceAll(/\{\w+\}/g, "[^/'`\\s]+") + end, 'm').test(sources);
    expect(routes.filter((path) => !isAsked(path, `(?=['\`?\\s]|$)`))).toEqual([]);
    expect(services.filter((path) => !isAsked(path, `(?:/(?:config|global)|['\`])`))).toEqual([]);
  });

  it('strike every kind of fault', () => {
    expect(FAULT_KINDS.filter((kind) => !sources.includes(`'${kind}'`))).toEqual([]);
  });
});
