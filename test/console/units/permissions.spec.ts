import { expect, it } from 'vitest';
import { permissionWords } from '../../../console/src/screens/access/permissions.js';
import { PERMISSIONS } from '../../../src/api-client/permission-words.js';
import { infoOf, PERMISSION_NAMES } from '../../../src/auth/rights/permissions.js';

it('names all permissions of the gateway in the words of its table', () => {
  expect(PERMISSIONS).toEqual(Object.fromEntries(PERMISSION_NAMES.map((name) => [name, infoOf(name).to])));
});

it('says the patterns of rules in words', () => {
  expect(['*', 'sealed_value.*', 'job.start', 'not.known'].map(permissionWords)).toEqual([
    'everything', 'all about sealed values', 'start jobs', 'not.known',
  ]); // prettier-ignore
});
