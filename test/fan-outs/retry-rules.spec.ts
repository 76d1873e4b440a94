import { describe, expect, it } from 'vitest';
import { type FanOutInput } from '../../src/fan-outs/fan-outs.contract.js';
import { isHidden, isSameDevice, knownFor } from '../../src/fan-outs/retry-rules.js';

const A = 'https://10.0.0.1';
const B = 'https://10.0.0.2';

describe('a device of a retry', () => {
  it.each([
    [{ baseUrl: A, serial: '1' }, { baseUrl: B, spareUrl: A, serial: '1' }, true], // a job has moved it
    [{ baseUrl: A, serial: '1' }, { baseUrl: B, spareUrl: A, serial: '2' }, false],
    [{ baseUrl: A, serial: '1' }, { baseUrl: B, spareUrl: 'https://10.0.0.3', serial: '1' }, false],
    [{ baseUrl: A, serial: '1' }, { baseUrl: A, serial: '1' }, true],
    [{ baseUrl: A, serial: null }, { baseUrl: A, serial: null }, true],
    [{ baseUrl: A, serial: null }, { baseUrl: A, serial: '1' }, true], // learnt since
    [{ baseUrl: A, serial: '1' }, { baseUrl: A, serial: '2' }, false],
    [{ baseUrl: A, serial: '1' }, { baseUrl: A, serial: null }, false], // forgotten by a replacement
    [{ baseUrl: A, serial: '1' }, { baseUrl: B, serial: '1' }, false],
    [{ baseUrl: A, serial: null }, { baseUrl: B, serial: null }, false],
    [{ baseUrl: A, serial: '1' }, { baseUrl: `${A}:8443`, serial: '1' }, false],
    [{ baseUrl: A, serial: '1' }, { baseUrl: 'http://10.0.0.1', serial: '1' }, false],
    [undefined, { baseUrl: A, serial: '1' }, false],
  ])('%j, now %j: the same is %s', (before, now, isSame) => {
    expect(isSameDevice(before, { spareUrl: null, ...now })).toBe(isSame);
  });
});

describe('what a retry stores of a device', () => {
  const one = { baseUrl: A, spareUrl: null, serial: '1' };
  const other = { baseUrl: A, spareUrl: null, serial: '2' };
  const unread = { baseUrl: A, spareUrl: null, serial: null };
  const moved = { baseUrl: B, spareUrl: null, serial: '1' };
  const swapped = { baseUrl: B, spareUrl: A, serial: '1' };
  const strange = { baseUrl: B, spareUrl: null, serial: null };
  it.each([
    [one, one, one],
    [unread, unread, unread],
    [unread, one, one], // learnt since: the next retry compares it
    [one, other, one],
    [one, unread, one],
    [one, moved, one],
    [one, strange, one],
    [unread, moved, unread],
    [unread, strange, unread],
    [moved, one, moved],
    [one, swapped, swapped], // moved by a job: the next retry compares its new address
    [undefined, one, null],
    [undefined, unread, null],
  ])('%j, now %j: %j, and a retry of the retry compares as the first one', (before, now, stored) => {
    expect(knownFor(before, now)).toEqual(stored);
    expect(isSameDevice(stored ?? undefined, now)).toBe(isSameDevice(before, now));
  });
});

describe('a stored request', () => {
  const shown = (query: string) => query.replace(/psk=[^&]*/, 'psk=…');
  it.each<[object, boolean]>([
    [{ request: { method: 'GET', path: '/api/wifi/config' } }, false],
    [{ request: { method: 'GET', path: '/api/wifi/config?limit=1' } }, false],
    [{ request: { method: 'GET', path: '/api/wifi/config?psk=secret' } }, true],
    [{ request: { method: 'DELETE', path: '/api/wifi/config/1' } }, false],
    [{ request: { method: 'POST', path: '/api/system/actions/reboot' } }, false],
    [{ request: { method: 'PUT', path: '/api/wifi/config', json: { data: { psk: 'secret' } } } }, true],
    [{ request: { method: 'PUT', path: '/api/wifi/config', json: null } }, true],
    [{ request: { method: 'POST', path: '/api/bulk', json: { data: [] } } }, true],
    [{ requests: [{ method: 'GET', path: '/api/a' }, { method: 'GET', path: '/api/b' }] }, false],
    [{ requests: [{ method: 'GET', path: '/api/a' }, { method: 'PUT', path: '/api/b', json: {} }] }, true],
    [{ requests: [{ method: 'GET', path: '/api/a?psk=1' }, { method: 'GET', path: '/api/b' }] }, true],
  ])('%j holds what is not shown: %s', (input, expected) => {
    expect(isHidden(input as FanOutInput, shown)).toBe(expected);
  }); // prettier-ignore
});
