import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../../src/device-api/contract.js';
import { FAULT_KINDS } from '../../src/simulator/faults.js';
import { COVERAGE } from './coverage.js';

const directory = new URL('.', import.meta.url);
const sources = readdirSync(directory)
  .filter((name) => name.endsWith('.spec.ts') && name !== 'coverage.spec.ts')
  .map((name) => readFileSync(new URL(name, directory), 'utf8'));
const tested = new Set(
  sources.flatMap((source) => [...source.matchAll(/\brow\('([^']+)'\)/g)].map(([, name]) => name)),
);

describe('the tests of the simulator', () => {
  it.each(Object.entries(COVERAGE))('cover every row of the table "%s"', (_table, rows) => {
    expect(rows.filter((name) => !tested.has(name))).toEqual([]);
  });

  it('list every error code of the contract', () => {
    expect(COVERAGE['codes']).toEqual(Object.keys(ERROR_CODES).map((code) => `code ${code}`));
  });

  it('strike every kind of fault', () => {
    const all = sources.join('\n');
    expect(FAULT_KINDS.filter((kind) => !all.includes(`'${kind}'`))).toEqual([]);
  });
});
