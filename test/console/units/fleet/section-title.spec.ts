import { expect, it } from 'vitest';
import { titledSections } from '../../../../console/src/screens/device-configuration/section-title.js';
import { type Service } from '../../../../console/src/screens/device-configuration/services.js';

/* The titles of a list of sections, as a device answers it. */

const SERVICE = { name: 'dhcp/static_leases/ipv4' } as Service;

it('shows the ids of all sections whose title another one has, and of no other', () => {
  const sections = [
    { id: 'a', name: 'camera' },
    { id: 'b', name: 'pump' },
    { id: 'c', name: 'camera' },
  ];
  expect(titledSections(SERVICE, sections).map(({ title, id }) => [title, id])).toEqual([
    ['camera', 'a'],
    ['pump', null],
    ['camera', 'c'],
  ]);
});

it('names a hundred thousand of them in one pass', () => {
  const sections = Array.from({ length: 100_000 }, (_, at) => ({ id: `cfg${at}`, name: `host-${at}` }));
  const titled = titledSections(SERVICE, sections);
  expect(titled).toHaveLength(100_000);
  expect(titled.every(({ id }) => id === null)).toBe(true);
});
