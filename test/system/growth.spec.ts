import { describe, expect, it } from 'vitest';
import { bytesPerDay, fullAt, sumOfRates } from '../../src/system/storage.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const HOUR = 3_600_000;
const ago = (hours: number, bytes: number) => ({ bytes, takenAt: new Date(NOW.getTime() - hours * HOUR) });

describe('growth', () => {
  it.each([
    ['nothing was measured before', undefined, 5_000, null],
    ['the measurement is a minute old', ago(1 / 60, 0), 5_000, null],
    ['it is an hour old', ago(1, 0), 1_000, 24_000],
    ['it is a day old', ago(24, 1_000), 3_000, 2_000],
    ['it is a week old', ago(7 * 24, 0), 7_000, 1_000],
    ['it shrinks', ago(24, 3_000), 1_000, -2_000],
    ['it stays', ago(24, 3_000), 3_000, 0],
    ['the clock was set back', ago(-24, 3_000), 4_000, null],
  ])('is known as far as it can be when %s', (_name, before, bytes, rate) => {
    expect(bytesPerDay(before, bytes, NOW)).toBe(rate);
  });

  it.each([
    ['no rate', [], null],
    ['no known rate', [null, null], null],
    ['some known rates', [1_000, null, -200], 800],
  ])('is the sum of %s', (_name, rates, sum) => {
    expect(sumOfRates(rates)).toBe(sum);
  });

  it.each([
    ['grows', 10_000, 1_000, '2026-12-06T12:00:00.000Z'],
    ['is full already', 0, 1_000, '2026-11-26T12:00:00.000Z'],
    ['shrinks', 10_000, -1_000, null],
    ['stays', 10_000, 0, null],
    ['is not known', 10_000, null, null],
    ['takes a century', 1e15, 1, null],
  ])('fills a disk when it %s', (_name, free, rate, at) => {
    expect(fullAt(free, rate, NOW)?.toISOString() ?? null).toBe(at);
  });
});
