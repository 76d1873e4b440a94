import { describe, expect, it } from 'vitest';
import { allowedInterval, EVERY_MAX_S, hasOwnSession, priceOf, tableBytes } from '../../src/monitoring/policy-price.js';
import { METRICS } from '../../src/monitoring/samples/sample-request.js';

const MB = 1e6;

describe('the price of a policy', () => {
  it('of a shared session has hardly a login', () => {
    expect(priceOf(240, 7_000)).toEqual({
      bytesPerSample: 7_000,
      bytesPerMonth: 10_800 * 7_000 + 30 * 7_800,
      handshakesPerMonth: 10_860,
      loginsPerDay: 1,
    });
  });

  it('of rare samples has a login and a logout for each', () => {
    expect(priceOf(900, 7_000)).toEqual({
      bytesPerSample: 7_000,
      bytesPerMonth: 2_880 * (7_000 + 7_800),
      handshakesPerMonth: 3 * 2_880,
      loginsPerDay: 96,
    });
  });

  it('of modems, interfaces and usage is 6 to 8 kB by the table', () => {
    const bytes = tableBytes({ metrics: ['modem', 'interface', 'usage'], extra: [] });
    expect(bytes).toBeGreaterThan(6_000);
    expect(bytes).toBeLessThan(8_000);
    expect(tableBytes({ metrics: METRICS, extra: [] })).toBeGreaterThan(bytes);
  });
});

describe('the interval that a budget allows', () => {
  const spending = { everySeconds: 240, usedBytes: 0, bytesPerSample: 7_000, now: new Date('2026-06-01T00:00:00Z') };
  const middle = { usedBytes: 40 * MB, now: new Date('2026-06-16T00:00:00Z') };

  it.each<[string, Partial<Parameters<typeof allowedInterval>[0]>, number]>([
    ['no budget', {}, 240],
    ['it fits', { budgetBytes: 80 * MB }, 240],
    ['between 240 and 900 s is left out', { budgetBytes: 70 * MB }, 960],
    ['it doubles until it fits', { budgetBytes: 10 * MB }, 3_840],
    [
      'half of the month is left',
      { budgetBytes: 80 * MB, usedBytes: 50 * MB, now: new Date('2026-06-16T00:00:00Z') },
      960,
    ],
    ['a minute doubles in the shared session', { everySeconds: 60, budgetBytes: 160 * MB }, 120],
    ['a shorter one fits by a little', { ...middle, budgetBytes: 80 * MB, intervalSeconds: 960 }, 960],
    ['a shorter one fits by a tenth', { ...middle, budgetBytes: 90 * MB, intervalSeconds: 960 }, 240],
    ['the present one fits by a little', { ...middle, budgetBytes: 80 * MB, intervalSeconds: 240 }, 240],
    ['it is used up', { budgetBytes: 10 * MB, usedBytes: 11 * MB }, EVERY_MAX_S],
    ['December ends, too', { budgetBytes: 80 * MB, now: new Date('2026-12-31T23:00:00Z'), usedBytes: 79 * MB }, 240],
  ])('%s', (_name, given, seconds) => {
    const allowed = allowedInterval({
      ...spending,
      budgetBytes: null,
      intervalSeconds: given.everySeconds ?? 240,
      ...given,
    });
    expect(allowed).toBe(seconds);
    expect(allowed === 240 || allowed < 240 || hasOwnSession(allowed)).toBe(true);
  });
});
