import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distanceTo, localTime, shortTime, zoneAt } from '../../../src/cli/output/times.js';

const before = process.env['TZ'];
beforeAll(() => (process.env['TZ'] = 'Europe/Vilnius'));
afterAll(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

const NOW = Date.parse('2026-11-26T14:00:00.000Z');

describe('a time on a clock in Vilnius', () => {
  it.each([
    ['2026-11-26T13:04:05.000Z', '2026-11-26 15:04:05', '15:04:05', '55 min ago'],
    ['2026-11-25T22:00:00.000Z', '2026-11-26 00:00:00', '00:00:00', '16 h ago'],
    ['2026-11-25T21:59:59.999Z', '2026-11-25 23:59:59', '2026-11-25 23:59', '16 h ago'],
    ['2026-11-27T00:00:00Z', '2026-11-27 02:00:00', '2026-11-27 02:00', 'in 10 h'],
    ['2026-01-01T00:00:00.000Z', '2026-01-01 02:00:00', '2026-01-01 02:00', '329 d ago'],
    // The clock was another one in summer.
    ['2026-06-01T12:00:00.000Z', '2026-06-01 15:00:00 +03:00', '2026-06-01 15:00:00 +03:00', '178 d ago'],
    ['2026-10-25T00:30:00.000Z', '2026-10-25 03:30:00 +03:00', '2026-10-25 03:30:00 +03:00', '32 d ago'],
    ['2026-10-25T01:30:00.000Z', '2026-10-25 03:30:00', '2026-10-25 03:30', '32 d ago'],
    ['2026-11-26T14:00:00.000Z', '2026-11-26 16:00:00', '16:00:00', '0 s ago'],
    ['2026-11-26T14:00:30.123456Z', '2026-11-26 16:00:30', '16:00:30', 'in 30 s'],
  ])('%s', (time, full, short, distance) => {
    expect([localTime(time, NOW), shortTime(time, NOW), distanceTo(time, NOW)]).toEqual([full, short, distance]);
  });

  it.each([
    ['Europe/Vilnius', '+02:00'],
    ['UTC', 'UTC'],
    ['Asia/Kolkata', '+05:30'],
    ['America/St_Johns', '-03:30'],
    ['America/New_York', '-05:00'],
  ])('names the zone of %s', (zone, text) => {
    process.env['TZ'] = zone;
    expect(zoneAt(NOW)).toBe(text);
    process.env['TZ'] = 'Europe/Vilnius';
  });
});
