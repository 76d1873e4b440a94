import { describe, expect, it } from 'vitest';
import { devicePath, touchesSession } from '../../../src/proxy/connections/device-path.js';
import { HOSTILE_PATHS } from '../passthrough/hostile-paths.js';

describe('a canonical device path', () => {
  it.each([
    ['/api/system/device/status', '/api/system/device/status'],
    ['/api/system/device/status/', '/api/system/device/status'],
    ['/api/v1/system/device/status', '/api/system/device/status'],
    ['/api/v1.9.2/system/device/status', '/api/system/device/status'],
    ['/api/wireguard/config/a%20b', '/api/wireguard/config/a%20b'],
    ['/api/certificates/config/ca.cert.pem', '/api/certificates/config/ca.cert.pem'],
    ['/api/data_usage/day/status?from=1&to=2%20', '/api/data_usage/day/status'],
    ['/api/events_log/config/system?limit=5', '/api/events_log/config/system'],
    ["/api/x/a-b_c~d!$&'()*+,=:@", "/api/x/a-b_c~d!$&'()*+,=:@"],
    ['/api/x/...a', '/api/x/...a'],
  ])('%s goes out as it is and is judged as %s', (raw, authPath) => {
    expect(devicePath(raw)).toEqual({ ok: true, path: { sentPath: raw, authPath } });
  });
});

describe('a path that could be read in two ways', () => {
  it.each(HOSTILE_PATHS)('is refused with a reason: %s', (raw) => {
    const verdict = devicePath(raw);
    const isRefused = !verdict.ok || touchesSession(verdict.path.authPath);
    expect({ raw, isRefused }).toEqual({ raw, isRefused: true });
  });

  it.each([
    ['an overlong dot', '/api/x/%c0%ae%c0%ae/y'],
    ['an overlong slash', '/api/x%c0%afy'],
    ['an overlong letter', '/api/x/%e0%81%a1'],
    ['half a character', '/api/x/%c3'],
    ['a surrogate', '/api/x/%ed%a0%80'],
    ['more than Unicode has', '/api/x/%f4%90%80%80'],
    ['Latin-1', '/api/x/k%e9y'],
    ['an overlong dot in its query', '/api/x?a=%c0%ae'],
  ])('is refused for bytes that are not UTF-8: %s', (_words, raw) => {
    expect(devicePath(raw)).toMatchObject({ ok: false, reason: expect.stringContaining('not UTF-8') });
  });

  it('is not one that encodes UTF-8', () => {
    expect(devicePath('/api/x/k%C3%A9y?a=%E2%82%AC%25').ok).toBe(true);
  });

  it('is one of at least 300', () => {
    expect(new Set(HOSTILE_PATHS).size).toBe(HOSTILE_PATHS.length);
    expect(HOSTILE_PATHS.length).toBeGreaterThanOrEqual(300);
  });
});
