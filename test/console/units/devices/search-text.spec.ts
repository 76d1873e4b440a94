import { expect, it } from 'vitest';
import {
  effortText,
  readNetworks,
  readPorts,
  searchText,
  whyNot,
} from '../../../../console/src/screens/devices/adding/search-text.js';

const RUN = {
  state: 'finished',
  addresses: 254,
  searched: 254,
  found: { devices: 3, others: 0 },
  logins: { granted: 0, refused: 0, unclear: 0 },
  failure: null,
} as const;

it.each([
  [{}, 2, '254 addresses asked, 3 devices answered, 2 of them are registered already.'],
  [{}, 1, '254 addresses asked, 3 devices answered, 1 of them is registered already.'],
  [{}, 3, '254 addresses asked, 3 devices answered, all of them are registered already.'],
  [{ found: { devices: 1, others: 0 } }, 1, '254 addresses asked, 1 device answered, it is registered already.'],
  [{}, null, '254 addresses asked, 3 devices answered.'],
  [
    { found: { devices: 0, others: 1 } },
    0,
    '254 addresses asked, no device answered, something else answered at 1 address.',
  ],
  [{ state: 'running', searched: 12 } as const, 0, '12 of 254 addresses asked, 3 devices answered.'],
  [{ state: 'cancelled', searched: 12 } as const, 0, 'Cancelled: 12 of 254 addresses asked, 3 devices answered.'],
  [{ logins: { granted: 1, refused: 2, unclear: 0 } }, 0, '254 addresses asked, 3 devices answered, 2 logins refused.'],
])('says what came of a search: %j', (change, known, said) => {
  expect(searchText({ ...RUN, ...change }, known)).toBe(said);
});

it('says why a device is not registered', () => {
  const known = { deviceId: 'd', by: 'serial', pinMatches: true } as const;
  expect(whyNot({ known: null })).toBeNull();
  expect(whyNot({ known })).toMatch(/serial number/);
  expect(whyNot({ known: { ...known, pinMatches: false } })).toMatch(/another certificate/);
});

it('takes an address alone as a network of one', () => {
  expect(readNetworks('192.0.2.0/24, 192.0.2.7\n2001:db8::7')).toEqual([
    '192.0.2.0/24',
    '192.0.2.7/32',
    '2001:db8::7/128',
  ]);
  expect(readPorts('443, 80')).toEqual([443, 80]);
  expect(readPorts('443, 70000')).toBeNull();
});

it.each([
  ['192.0.2.0/24', 2, '256 addresses, each at up to 2 ports'],
  ['192.0.2.7, 198.51.100.0/30', 1, '5 addresses, each at one port'],
  ['2001:db8::/120', 0, '256 addresses, each at the usual ports'],
  ['', 2, null],
  ['192.0.2.0/33', 2, null],
  ['site/24', 2, null],
])('a search of %s at %d ports asks: %s', (typed, ports, text) =>
  expect(effortText(readNetworks(typed), ports)).toBe(text),
);
