import { describe, expect, it } from 'vitest';
import { incidentsOf } from '../../../console/src/screens/overview/incidents.js';

const group = (site: string, devices: number, more: object = {}) => ({
  problem: 'offline' as const,
  reason: 'timeout: tls',
  site,
  devices,
  siteDevices: 10,
  since: '2026-11-27T23:01:00.000Z',
  latest: '2026-11-27T23:02:00.000Z',
  named: [{ id: `id-${site}`, name: `router-${site}` }],
  ...more,
});

const told = (groups: readonly ReturnType<typeof group>[], fleet = 100) =>
  incidentsOf(groups, fleet).map(({ what, why, action }) => `${what}: ${why} [${action}]`);

describe('incidents', () => {
  it('are one where a third of the fleet fails in the same way at several sites', () => {
    expect(told([group('a', 10), group('b', 10), group('c', 28)])).toEqual([
      '48 devices: time-out at TLS · all over the fleet, 3 sites · probably the gateway’s own network [Show 48]',
    ]);
  });

  it('are one for each site otherwise, and say where the whole site is away', () => {
    expect(told([group('vilnius/lab', 10), group('kaunas', 2)])).toEqual([
      '10 devices: time-out at TLS · vilnius/lab · the whole site: probably its power or its link [Show 10]',
      '2 devices: time-out at TLS · kaunas [Show 2]',
    ]);
  });

  it('name a single device, and join many single ones', () => {
    expect(told([group('a', 1), group('b', 1)])).toEqual([
      'router-a: It does not answer: time-out at TLS · a [See why]',
      'router-b: It does not answer: time-out at TLS · b [See why]',
    ]);
    expect(told(['a', 'b', 'c', 'd'].map((site) => group(site, 1)))).toEqual([
      '4 devices: time-out at TLS · 4 sites [Show 4]',
    ]);
  });

  it('keep causes apart, and promise as many devices as the link shows', () => {
    const other = group('a', 3, { reason: 'refused: ECONNREFUSED' });
    expect(told([group('a', 2), other])).toEqual([
      '2 devices: time-out at TLS · a [Show 5]',
      '3 devices: port closed · a [Show 5]',
    ]);
  });
});
