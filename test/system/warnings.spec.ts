import { describe, expect, it } from 'vitest';
import { causeWarnings, hasFixes, settingWarnings, logWarnings } from '../../src/system/warnings.js';

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

const failed = (text: string, code?: string) => Object.assign(new Error(text), code === undefined ? {} : { code });

describe('a readiness check that failed', () => {
  it.each<[part: string, cause: unknown, usesRedis: boolean, warnings: string[]]>([
    ['queue', failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'), false, ['queue_unavailable']],
    ['queue', failed('OOM command not allowed'), false, ['queue_unavailable']],
    ['queue', failed("OOM command not allowed when used memory > 'maxmemory'."), true, ['redis_full']],
    ['queue', failed("READONLY You can't write against a read only replica."), true, ['redis_read_only']],
    ['queue', failed('MOVED 3999 127.0.0.1:6381'), true, ['redis_cluster']],
    ['queue', failed('MISCONF Redis is configured to save RDB snapshots'), true, ['redis_disk']],
    ['queue', failed('NOREPLICAS Not enough good replicas to write.'), true, ['redis_replicas']],
    ['queue', failed('WRONGPASS invalid username-password pair'), true, ['redis_login']],
    ['queue', failed('LOADING Redis is loading the dataset in memory'), true, ['redis_loading']],
    ['queue', failed('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), true, ['redis_tls']],
    ['queue', failed('Connection is closed.'), true, ['redis_unreachable']],
    ['queue', 'no error at all', true, ['redis_unreachable']],
    ['queue', undefined, true, ['redis_unreachable']],
    ['artifacts', failed('no space left on device', 'ENOSPC'), false, ['artifacts_unavailable']],
    ['artifacts', failed('OOM'), true, ['artifacts_unavailable']],
    ['database', failed('terminating connection'), false, []],
  ])('is warned of by what stops: %s, %s, with Redis %s', (part, cause, usesRedis, warnings) => {
    expect(causeWarnings(new Map([[part, cause]]), usesRedis)).toEqual(warnings);
  });

  it('is warned of beside others, and not when there is none', () => {
    const causes = new Map([
      ['artifacts', failed('a')],
      ['queue', failed('READONLY')],
    ]);
    expect(causeWarnings(causes, true)).toEqual(['redis_read_only', 'artifacts_unavailable']);
    expect(causeWarnings(new Map(), true)).toEqual([]);
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
