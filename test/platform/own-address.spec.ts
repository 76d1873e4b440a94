import { describe, expect, it } from 'vitest';
import { foreignPrefix, ownPath, ownPrefix, ownUrl, withoutPrefix } from '../../src/platform/addresses/own-address.js';

describe('an address below the path of PUBLIC_URL', () => {
  it.each([
    ['/fleet', '/'],
    ['/fleet/', '/'],
    ['/fleet?a=b', '/?a=b'],
    ['/fleet/v1/jobs?a=/fleet', '/v1/jobs?a=/fleet'],
    ['/v1/jobs', '/v1/jobs'],
    ['/fleetx/v1/jobs', '/fleetx/v1/jobs'],
    ['/FLEET/v1/jobs', '/FLEET/v1/jobs'],
    ['/fleet/fleet/v1', '/fleet/v1'],
    ['/x/fleet/v1', '/x/fleet/v1'],
    ['/%66leet/v1', '/%66leet/v1'],
    ['*', '*'],
    ['http://gateway.example/fleet/v1', 'http://gateway.example/fleet/v1'],
  ])('is routed without it: %s as %s', (given, routed) => {
    expect(withoutPrefix(given, '/fleet')).toBe(routed);
    expect(withoutPrefix(given, '')).toBe(given);
  });

  it.each([
    ['/v1/jobs/7', '/fleet/v1/jobs/7'],
    ['/console/', '/fleet/console/'],
    ['/', '/fleet/'],
    ['/fleet/console/', '/fleet/console/'],
    ['/fleet', '/fleet'],
    ['/fleetx', '/fleet/fleetx'],
    ['//other.example/x', '/fleet//other.example/x'],
    ['https://provider.example/x', 'https://provider.example/x'],
    ['?page=2', '?page=2'],
    ['', ''],
  ])('is given with it: %s as %s', (path, given) => {
    expect(ownPath(path, '/fleet')).toBe(given);
    expect(ownPath(path, '')).toBe(path);
  });

  it('has the origin of PUBLIC_URL, or of the request', () => {
    const request = { protocol: 'https', host: 'a.example:8443' } as const;
    const below = { PUBLIC_URL: 'https://example.org/ops/fleet' };
    expect(ownUrl('/v1/jobs', request, below)).toBe('https://example.org/ops/fleet/v1/jobs');
    expect(ownUrl('/v1/jobs', request, {})).toBe('https://a.example:8443/v1/jobs');
    expect([ownPrefix(below), ownPrefix({}), ownPrefix({ PUBLIC_URL: 'https://example.org' })]).toEqual([
      '/ops/fleet',
      '',
      '',
    ]);
  });
});

it.each([
  ['/fleet/v1/jobs', '/fleet'],
  ['/ops/fleet/d/pump-1/api/login?x=/v1/', '/ops/fleet'],
  ['/fleet/openapi.json', '/fleet'],
  ['/v1/v1/jobs', null],
  ['/v1/devices/v1', null],
  ['/fleet/jobs', null],
  ['/nothing?x=/fleet/v1/jobs', null],
  ['//v1/jobs', null],
  ['/a%22/v1/jobs', null],
  [`/${'x'.repeat(200)}/v1/jobs`, null],
])('the path before the address of the gateway is known: %s has %s', (url, prefix) => {
  expect(foreignPrefix(url)).toBe(prefix);
});
