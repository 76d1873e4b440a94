import { expect, it } from 'vitest';
import { facetValues } from '../../../../console/src/screens/devices/facets/facet-values.js';
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

it('has one row for each version of the firmware, with its names for all families', () => {
  const values = [
    { value: 'RUTX_R_00.07.9.3', devices: 4 },
    { value: 'RUTX_R_00.07.25.3', devices: 3 },
    { value: 'RUT9_R_00.07.25.3', devices: 2 },
    { value: 'own build', devices: 1 },
  ];
  expect(facetValues('firmware', values)).toEqual([
    { value: '07.25.3', devices: 5, term: '(firmware=RUT9_R_00.07.25.3 | firmware=RUTX_R_00.07.25.3)' },
    { value: '07.9.3', devices: 4, term: 'firmware=RUTX_R_00.07.9.3' },
    { value: 'own build', devices: 1, term: 'firmware="own build"' },
  ]);
  expect(facetValues('tag', [{ value: 'a_1', devices: 1 }])).toEqual([{ value: 'a_1', devices: 1, term: 'tag=a_1' }]);
});
