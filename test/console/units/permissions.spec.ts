import { expect, it } from 'vitest';
import { PERMISSIONS } from '../../../src/api-client/permission-words.js';
import { infoOf, PERMISSION_NAMES } from '../../../src/auth/rights/permissions.js';

it('names all permissions of the gateway in the words of its table', () => {
  expect(PERMISSIONS).toEqual(Object.fromEntries(PERMISSION_NAMES.map((name) => [name, infoOf(name).to])));
});
