import { afterEach, describe, expect, it, vi } from 'vitest';
import { uuidV7 } from '../../src/platform/uuid-v7.js';

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

/** The last 48 bits, six of which are counted. */
const randomOf = (id: string) => id.slice(-12);

describe('ids that begin with the time', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are UUIDs of version 7, made now', () => {
    const before = Date.now();
    const id = uuidV7();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now());
  });

  it('are in the order in which they were made, within a millisecond too', () => {
    const ids = Array.from({ length: 5_000 }, uuidV7);
    expect(new Set(ids.map(timeOf)).size).toBeLessThan(ids.length);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are so while the clock stands behind', () => {
    const before = uuidV7();
    const real = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(real - 3_600_000);
    const behind = uuidV7();
    vi.spyOn(Date, 'now').mockReturnValue(real + 1_000);
    const after = uuidV7();
    expect([before, behind, after]).toEqual([before, behind, after].toSorted());
    expect(timeOf(behind)).toBe(timeOf(before));
    expect(timeOf(after)).toBe(real + 1_000);
  });

  it('begin to count in the lower half, so that there is room', () => {
    const real = Date.now();
    const firsts = Array.from({ length: 100 }, (_, index) => {
      vi.spyOn(Date, 'now').mockReturnValue(real + 10_000 + index);
      return uuidV7();
    });
    expect(new Set(firsts.map(timeOf)).size).toBe(firsts.length);
    expect(firsts.filter((id) => !/^.{8}-.{4}-7[0-7]/.test(id))).toEqual([]);
  });

  it('take no random bytes twice', () => {
    const ids = Array.from({ length: 5_000 }, uuidV7);
    expect(new Set(ids.map(randomOf)).size).toBe(ids.length);
  });
});
