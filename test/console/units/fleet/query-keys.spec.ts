import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { KEYS } from '../../../../console/src/api/keys/query-keys.js';
import { listFiles } from '../../../support/source/import-graph.js';

it('names all that the console reads in one file', () => {
  const named = /\b(?:queryKey|key): \['/;
  const elsewhere = listFiles('console/src').filter((file) => named.test(readFileSync(file, 'utf8')));
  expect(elsewhere).toEqual([]);
});

it('begins the name of a list with the noun whose events refresh it', () => {
  expect(KEYS.devices.problems[0]).toBe('devices');
  expect(KEYS.alerts.menu[0]).toBe('alerts');
});
