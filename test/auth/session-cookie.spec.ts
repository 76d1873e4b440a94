import { describe, expect, it } from 'vitest';
import {
  cookieHeader,
  readCookie,
  refuseForeignPage,
  requireSameOrigin,
} from '../../src/auth/access/session-cookie.js';

/** What a request looks like from here. */
function request(url: string, method = 'GET', headers: Record<string, string> = {}) {
  const { protocol, host, hostname } = new URL(url);
  return { protocol: protocol.slice(0, -1) as 'http' | 'https', host, hostname, method, headers };
}

const behindTls = { PUBLIC_URL: 'https://gateway.example' };
const open = { PUBLIC_URL: undefined };
const form = { value: 'fgs_x', maxAgeS: 60 };

describe('the cookie of a session', () => {
  it.each([
    ['https', 'https://gateway.example', open],
    ['a proxy in front that ends TLS', 'http://127.0.0.1:8080', behindTls],
    ['plain http that is not loopback, where browsers will not take it', 'http://gateway.example', open],
  ])('is Secure and bound to its host with %s', (_what, url, config) => {
    expect(cookieHeader(request(url), config, form)).toBe(
      '__Host-fleetgate=fgs_x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    );
    const read = (cookie: string) => readCookie(request(url, 'GET', { cookie }), config);
    expect(read('a=b; __Host-fleetgate=fgs_x')).toBe('fgs_x');
    // What a neighbour under the same domain could have set is not read.
    expect(read('fleetgate-loopback=fgs_x; fleetgate=fgs_x')).toBeNull();
  });

  it('goes to no other application of the host when the gateway is below a path', () => {
    const below = { PUBLIC_URL: 'https://gateway.example/ops/fleet' };
    expect(cookieHeader(request('http://127.0.0.1:8080'), below, form)).toBe(
      '__Secure-fleetgate=fgs_x; Path=/ops/fleet; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    );
    const read = (cookie: string) => readCookie(request('http://127.0.0.1:8080', 'GET', { cookie }), below);
    expect([read('__Secure-fleetgate=fgs_x'), read('__Host-fleetgate=fgs_x')]).toEqual(['fgs_x', null]);
  });

  it.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
    'goes by another name at %s',
    (url) => {
      expect(cookieHeader(request(url), open, form)).toBe(
        'fleetgate-loopback=fgs_x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict',
      );
      expect(readCookie(request(url, 'GET', { cookie: '__Host-fleetgate=fgs_x' }), open)).toBeNull();
    },
  );
});

describe('a page of another site', () => {
  const site = 'https://gateway.example';
  const judge = (check: typeof requireSameOrigin, method: string, headers: Record<string, string>) => {
    try {
      check(request(site, method, headers), open);
      return 'passed';
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it.each([
    ['its own page', { 'sec-fetch-site': 'same-origin' }, 'passed', 'passed'],
    [
      'its own page behind a proxy that changes the host',
      { 'sec-fetch-site': 'same-origin', origin: 'https://x.example' },
      'passed',
      'passed',
    ],
    ['its own page in an old browser', { origin: site }, 'passed', 'passed'],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 'cross_site_refused', 'cross_site_refused'],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }, 'cross_site_refused', 'cross_site_refused'],
    ['another site in an old browser', { origin: 'https://evil.example' }, 'cross_site_refused', 'cross_site_refused'],
    ['a page without an origin', { origin: 'null' }, 'cross_site_refused', 'cross_site_refused'],
    ['a program', {}, 'cross_site_refused', 'passed'],
  ])('is told from others: %s', (_what, headers, withCookie, without) => {
    expect(judge(requireSameOrigin, 'POST', headers)).toBe(withCookie);
    expect(judge(refuseForeignPage, 'POST', headers)).toBe(without);
    expect(judge(requireSameOrigin, 'GET', headers)).toBe('passed');
  });
});
