import { describe, expect, it } from 'vitest';
import { hasFixes, settingWarnings, logWarnings } from '../../src/system/warnings.js';

const NOW = new Date('2026-06-01T00:00:00Z');
const SAFE = { HOST: '127.0.0.1', DEVICE_ALLOW_LOOPBACK: false, REDIS_MAY_FORGET: false };

describe('warnings', () => {
  it.each([
    ['v20.19.0', '2026-04-30T23:00:00Z', true],
    ['v20.19.0', '2026-05-01T00:00:00Z', false],
    ['v22.1.0', '2026-06-01T00:00:00Z', true],
    ['v23.1.0', '2026-06-01T00:00:00Z', false],
    ['v18.1.0', '2026-06-01T00:00:00Z', false],
    ['v26.0.0', '2030-06-01T00:00:00Z', true],
  ])('know until when %s gets security fixes: at %s %s', (version, at, expected) => {
    expect(hasFixes(version, new Date(at))).toBe(expected);
  });

  it.each([
    [{}, []],
    [{ HOST: '0.0.0.0' }, ['no_tls']],
    [{ PUBLIC_URL: 'http://fleet.example' }, ['no_tls']],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://fleet.example' }, []],
    [{ DEVICE_ALLOW_LOOPBACK: true }, ['loopback_devices']],
    [{ REDIS_MAY_FORGET: true }, []],
    [{ REDIS_URL: 'redis://127.0.0.1', REDIS_MAY_FORGET: true }, ['redis_may_forget']],
  ])('come from the settings %j: %j', (settings, expected) => {
    expect(settingWarnings({ ...SAFE, ...settings }, 'v24.1.0', NOW)).toEqual(expected);
  });
});

describe('a log', () => {
  it.each([
    [null, 0, []],
    [null, 9e9, []],
    [0, 0, ['log_lines_dropped']],
    [1_000, 3_600_999, ['log_lines_dropped']],
    [1_000, 3_601_000, []],
  ])('that dropped a line at %s ms is warned of at %s ms: %j', (lastDropMs, nowMs, warnings) => {
    expect(logWarnings(lastDropMs, nowMs)).toEqual(warnings);
  });
});
