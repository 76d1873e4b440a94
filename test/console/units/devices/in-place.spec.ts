import { expect, it } from 'vitest';
import { inPlace } from '../../../../console/src/screens/devices/facets/in-place.js';

it('keeps the order of the values while their counts change, with new ones last', () => {
  const before = [
    { value: 'online', devices: 20 },
    { value: 'offline', devices: 4 },
  ];
  const now = [
    { value: 'new', devices: 3 },
    { value: 'online', devices: 2 },
  ];
  expect(inPlace(before, now)).toEqual([
    { value: 'online', devices: 2 },
    { value: 'offline', devices: 0 },
    { value: 'new', devices: 3 },
  ]);
  expect(inPlace([], now)).toEqual(now);
});
