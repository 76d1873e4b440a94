import { describe, expect, it } from 'vitest';
import { AddressRange } from '../../src/discovery/networks.js';
import { AppError } from '../../src/platform/errors.js';

const policy = { allowLoopback: false, allowedCidrs: [], ownEndpoints: new Set<string>() };

const all = (...cidrs: string[]) => {
  const range = new AddressRange(cidrs);
  return Array.from({ length: range.count }, (_, position) => range.at(position));
};

function reasonOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.facts['reason']];
    throw error;
  }
  return 'nothing was refused';
}

describe('the addresses of networks', () => {
  it.each([
    [['192.0.2.4/30'], ['192.0.2.5', '192.0.2.6']],
    [['192.0.2.4/31'], ['192.0.2.4', '192.0.2.5']],
    [['192.0.2.4/32'], ['192.0.2.4']],
    [['192.0.2.6/30'], ['192.0.2.5', '192.0.2.6']],
    [
      ['192.0.2.9/32', '192.0.2.8/32', '192.0.2.9/32'],
      ['192.0.2.9', '192.0.2.8'],
    ],
    [
      ['192.0.2.9/32', '192.0.2.8/30'],
      ['192.0.2.9', '192.0.2.10'],
    ],
    [['2001:db8::fffe/127'], ['2001:db8::fffe', '2001:db8::ffff']],
    [['::ffff:192.0.2.4/128'], ['192.0.2.4']],
    [
      ['192.0.2.1/32', '2001:db8::1/128'],
      ['192.0.2.1', '2001:db8::1'],
    ],
  ])('of %j', (cidrs, addresses) => {
    expect(all(...cidrs)).toEqual(addresses);
  });

  it('go over the edge of a byte', () => {
    const range = new AddressRange(['10.0.0.0/20']);
    expect([range.count, range.at(0), range.at(254), range.at(255), range.at(4093)]).toEqual([
      4094,
      '10.0.0.1',
      '10.0.0.255',
      '10.0.1.0',
      '10.0.15.254',
    ]);
  });

  it.each([['10.0.0.0/19'], ['10.0.0.0/20', '10.1.0.0/29'], ['2001:db8::/115'], ['::/0'], ['0.0.0.0/0']])(
    'are refused when there are too many: %s',
    (...cidrs) => {
      expect(reasonOf(() => new AddressRange(cidrs))).toEqual(['network_refused', 'more than 4096 addresses']);
    },
  );

  it('are 4,096 at most in IPv6, too', () => {
    expect(new AddressRange(['2001:db8::/116']).count).toBe(4096);
  });

  it.each([
    '127.0.0.0/24',
    '169.254.169.0/24',
    '224.0.0.0/24',
    '0.0.0.0/24',
    'fe80::/120',
    '::1/128',
    '100.100.100.200/32',
    'ff02::/120',
  ])('are refused where no device may be: %s', (cidr) => {
    const judged = reasonOf(() => new AddressRange([cidr]).refuseForbidden(policy));
    expect(judged).toEqual(['network_refused', expect.any(String)]);
  });

  it('are refused outside of the allowed networks, at their end too', () => {
    const narrow = { ...policy, allowedCidrs: ['10.0.0.0/24'] };
    expect(reasonOf(() => new AddressRange(['10.0.0.128/25']).refuseForbidden(narrow))).toBe('nothing was refused');
    expect(reasonOf(() => new AddressRange(['10.0.0.0/23']).refuseForbidden(narrow))).toEqual([
      'network_refused',
      'it is not in DEVICE_ALLOWED_CIDRS',
    ]);
  });
});
