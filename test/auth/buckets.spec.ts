import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { RedisBuckets } from '../../src/auth/limits/rate-limits.js';
import { Buckets, SharedMeter, TokenBucket } from '../../src/platform/limits/token-bucket.js';
import { FakeClock } from '../support/fake-clock.js';

/* Token buckets in memory and in Redis, and the portions that replicas take from them. */

const REDIS_URL = process.env['TEST_REDIS_URL'];
const policy = { capacity: 10, windowMs: 10_000 };

const waits: number[] = [];

describe('a bucket in memory', () => {
  it('gives what it holds, fills with time, and not over its brim', async () => {
    const clock = new FakeClock();
    const buckets = new Buckets(clock);
    expect(await buckets.take('a', policy, 7)).toEqual({ granted: 7, left: 3, waitMs: 0 });
    expect(await buckets.take('a', policy, 5)).toEqual({ granted: 0, left: 3, waitMs: 2_000 });
    clock.pass(2_000);
    expect(await buckets.take('a', policy, 5)).toMatchObject({ granted: 5, left: 0 });
    clock.pass(60_000);
    expect(await buckets.take('a', policy, 1)).toMatchObject({ left: 9 });
    await buckets.give('a', policy, 50);
    expect(await buckets.take('a', policy, 1)).toMatchObject({ left: 9 });
  });

  it('grants more than it can hold when it is half full, and is paid off afterwards', async () => {
    const clock = new FakeClock();
    const buckets = new Buckets(clock);
    await buckets.take('a', policy, 5);
    expect(await buckets.take('a', policy, 20)).toMatchObject({ granted: 20, left: -15 });
    expect(await buckets.take('a', policy, 1)).toMatchObject({ granted: 0, waitMs: 16_000 });
    await buckets.give('a', policy, 3);
    expect(await buckets.take('a', policy, 1)).toMatchObject({ granted: 0, waitMs: 13_000 });
    clock.pass(13_000);
    expect(await buckets.take('a', policy, 1)).toMatchObject({ granted: 1 });
  });

  it('gives as much as is wanted, as far as it is there', async () => {
    const buckets = new Buckets(new FakeClock());
    expect(await buckets.take('a', policy, 1, 6)).toMatchObject({ granted: 6 });
    expect(await buckets.take('a', policy, 1, 6)).toMatchObject({ granted: 4 });
    expect(await buckets.take('a', policy, 1, 6)).toMatchObject({ granted: 0, waitMs: 1_000 });
  });
});

describe('a meter of one process', () => {
  it('never waits to be told', () => {
    const meter = new TokenBucket(policy, 0);
    for (let i = 0; i < 10; i++) {
      expect(meter.wait(1, 0)).toBe(0);
      meter.take(1);
    }
    expect(meter.wait(1, 0)).toBe(1_000);
    expect(meter.left).toBe(0);
    expect(meter.wait(1, 1_000)).toBe(0);
  });
});

/** Counts how often the shared bucket is asked. */
function counted(buckets: Buckets): Buckets & { asked: number } {
  const take = buckets.take.bind(buckets);
  const counting = Object.assign(buckets, { asked: 0 });
  counting.take = (...args: Parameters<Buckets['take']>) => {
    counting.asked++;
    return take(...args);
  };
  return counting;
}

describe('meters of replicas that share a bucket', () => {
  const large = { capacity: 1_000, windowMs: 100_000 };
  const meterOf = (shared: Buckets) => new SharedMeter(large, (need, want) => shared.take('a', large, need, want));

  it('grant together what the bucket holds, and ask it seldom', async () => {
    const shared = counted(new Buckets(new FakeClock()));
    const replicas = [0, 1, 2].map(() => meterOf(shared));
    let granted = 0;
    for (let i = 0; i < 1_200; i++) {
      const meter = replicas[i % 3]!;
      if ((await meter.wait(1, 0)) > 0) continue;
      meter.take(1);
      granted++;
    }
    // What a replica holds at the end and cannot use is at most a portion.
    expect(granted).toBeLessThanOrEqual(1_000);
    expect(granted).toBeGreaterThan(1_000 - 3 * 10);
    expect(shared.asked).toBeLessThan(250);
  });

  it('answer at once while a portion lasts', async () => {
    const meter = meterOf(new Buckets(new FakeClock()));
    expect(meter.wait(1, 0)).toBeInstanceOf(Promise);
    while (typeof meter.wait(1, 0) !== 'number') await new Promise(setImmediate);
    for (let i = 0; i < 4; i++) {
      expect(meter.wait(1, 0)).toBe(0);
      meter.take(1);
    }
  });

  it('pay for something large at once', async () => {
    const shared = new Buckets(new FakeClock());
    const meter = meterOf(shared);
    expect(await meter.wait(800, 0)).toBe(0);
    meter.take(800);
    expect(await meter.wait(800, 0)).toBeGreaterThan(0);
    expect(await meterOf(shared).wait(150, 0)).toBe(0);
  });

  it('drop a lease that was not used in time', async () => {
    const shared = new Buckets(new FakeClock());
    const meter = meterOf(shared);
    await meter.wait(1, 0);
    expect(meter.wait(1, 10)).toBe(0);
    expect(meter.wait(1, 6_000)).toBeInstanceOf(Promise);
  });
});

(REDIS_URL ? describe : describe.skip)('a bucket in Redis', () => {
  let one: RedisBuckets;
  let other: RedisBuckets;

  beforeAll(() => {
    const prefix = `test-${randomUUID()}`;
    one = new RedisBuckets(REDIS_URL!, prefix, new FakeClock(), pino({ level: 'silent' }));
    other = new RedisBuckets(REDIS_URL!, prefix, new FakeClock(), pino({ level: 'silent' }));
  });
  afterAll(async () => {
    await one.close();
    await other.close();
  });

  it('is one for all replicas', async () => {
    const slow = { capacity: 10, windowMs: 86_400_000 };
    const takes = await Promise.all(Array.from({ length: 16 }, (_, i) => (i % 2 ? one : other).take('a', slow, 1)));
    expect(takes.filter(({ granted }) => granted === 1)).toHaveLength(10);
    for (const { granted, waitMs } of takes) if (granted === 0) waits.push(waitMs);
    expect(Math.min(...waits)).toBeGreaterThan(0);
    await one.give('a', slow, 3);
    expect((await other.take('a', slow, 1, 9)).granted).toBe(3);
    expect(await one.take('b', slow, 25)).toMatchObject({ granted: 25 });
    expect((await other.take('b', slow, 1)).granted).toBe(0);
    await other.give('b', slow, 16); // 15 in debt
    expect((await one.take('b', slow, 1)).granted).toBe(1);
  });
});

describe('a Redis that is away', () => {
  it('leaves each replica with its own buckets, and no caller in the lurch', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    const buckets = new RedisBuckets('redis://127.0.0.1:9', 'test', new FakeClock(), log);
    expect(await buckets.take('a', policy, 10)).toMatchObject({ granted: 10 });
    expect(await buckets.take('a', policy, 1)).toMatchObject({ granted: 0 });
    await buckets.give('a', policy, 1);
    expect(await buckets.take('a', policy, 1)).toMatchObject({ granted: 1 });
    expect(lines.filter((line) => line.includes('Redis is unavailable'))).toHaveLength(1);
    await buckets.close();
  });
});
