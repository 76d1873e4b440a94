import { expect, it } from 'vitest';
import { matching } from '../../../console/src/screens/device-api/json-search.js';

const VALUE = { data: [{ id: 'wan', mtu: 1500 }, { id: 'lan' }], success: true };

it('leaves what has a text in its names or values', () => {
  expect(matching(VALUE, 'wan')).toEqual({ data: { 0: { id: 'wan' } } });
  expect(matching(VALUE, 'mtu')).toEqual({ data: { 0: { mtu: 1500 } } });
  expect(matching(VALUE, 'data')).toEqual({ data: VALUE.data });
  expect(matching(VALUE, 'nothing')).toBeUndefined();
});
