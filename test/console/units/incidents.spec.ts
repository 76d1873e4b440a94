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

const told = (
  groups: readonly ReturnType<typeof group>[],
  fleet = 100,
  networks: Parameters<typeof incidentsOf>[2] = [],
) => incidentsOf(groups, fleet, networks).map(({ what, why, action }) => `${what}: ${why} [${action}]`);

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

  it('are one for a network that several sites share, and leave the others of a site apart', () => {
    const sites = [
      { site: 'a', devices: 3 },
      { site: 'b', devices: 2 },
    ];
    const network = { network: '192.0.2.0/24', reason: 'timeout: tls', devices: 5, networkDevices: 6, sites };
    expect(told([group('a', 3), group('b', 4)], 100, [network])).toEqual([
      '5 devices: time-out at TLS · 192.0.2.0/24 · 2 sites · 5 of 6 in it: probably its link or VPN [Show 7]',
      '2 devices: time-out at TLS · b [Show 4]',
    ]);
    expect(told([group('a', 3)], 100, [{ ...network, reason: 'refused: ECONNREFUSED' }])).toEqual([
      '3 devices: time-out at TLS · a [Show 3]',
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
