import { describe, expect, it } from 'vitest';
import { clientsOf, linksOf, rateText } from '../../../../console/src/screens/device-status/links.js';

const lan = (received: unknown, sent: unknown) => ({
  name: 'lan',
  up: true,
  uptime: '3600',
  ipaddrs: ['192.168.1.1/24', 7],
  rx_bytes: received,
  tx_bytes: sent,
});
const down = { id: 'wan', is_up: false, rx_bytes: 10, tx_bytes: 10 };

describe('the interfaces of a device', () => {
  it('have rates from two readings, and none before the second one, of what is down, and of a counter that fell', () => {
    const first = { at: 1_000, interfaces: [lan(1_000, 5_000), down] };
    const second = { at: 11_000, interfaces: [lan('21000', 4_000), down] };
    const known = { id: 'lan', addresses: ['192.168.1.1'], isUp: true, upSeconds: 3_600 };
    const other = { id: 'wan', addresses: [], isUp: false, received: null, sent: null, upSeconds: null };
    expect(linksOf(first, null)).toEqual([{ ...known, received: null, sent: null }, other]);
    expect(linksOf(second, first)).toEqual([{ ...known, received: 2_000, sent: null }, other]);
    expect(linksOf(second, { ...first, at: 11_000 })[0]).toMatchObject({ received: null });
  });

  it('are none where the device answers something else', () => {
    for (const interfaces of [undefined, 'no', [null, [], { up: true }]])
      expect(linksOf({ at: 1, interfaces }, null)).toEqual([]);
  });

  it('have rates as lines are sold', () => {
    expect([0, 100, 1_250, 43_125, 12_500_000].map(rateText)).toEqual([
      '0 bit/s',
      '800 bit/s',
      '10.0 kbit/s',
      '345 kbit/s',
      '100 Mbit/s',
    ]);
  });
});

it('names the clients by their names, those without one last', () => {
  const leases = [
    { ipaddr: '192.168.1.3', macaddr: '02:D8:21:1D:5C:6A', hostname: '*' },
    { ipaddr: '192.168.1.2', hostname: 'pump-10' },
    { ipaddr: '192.168.1.4', macaddr: 'odd', hostname: 'pump-9' },
    { hostname: 'no address' },
  ];
  expect(clientsOf(leases)).toEqual([
    { name: 'pump-9', address: '192.168.1.4', mac: 'odd' },
    { name: 'pump-10', address: '192.168.1.2', mac: null },
    { name: null, address: '192.168.1.3', mac: '02:d8:21:1d:5c:6a' },
  ]);
  expect(clientsOf('no list')).toEqual([]);
});
