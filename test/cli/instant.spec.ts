import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/exit-codes.js';
import { readInstant } from '../../src/cli/input/instant.js';

/* Instants as people write them. */

const NOW = Date.parse('2026-11-26T16:00:00.000Z');
const local = (...parts: [number, number, number, number?, number?, number?]) => new Date(...parts).toISOString();

describe('an instant', () => {
  it.each([
    ['7d', -1, '2026-11-19T16:00:00.000Z'],
    ['90m', -1, '2026-11-26T14:30:00.000Z'],
    ['30s', -1, '2026-11-26T15:59:30.000Z'],
    ['24h', 1, '2026-11-27T16:00:00.000Z'],
    ['2w', 1, '2026-12-10T16:00:00.000Z'],
    ['2026-11-26T16:04:00Z', -1, '2026-11-26T16:04:00Z'],
    ['2026-11-26T16:04:00.5+02:00', 1, '2026-11-26T16:04:00.5+02:00'],
    ['2026-03-01', -1, local(2026, 2, 1)],
    ['2026-03-01 07:30', -1, local(2026, 2, 1, 7, 30)],
    ['2026-03-01T07:30:05', 1, local(2026, 2, 1, 7, 30, 5)],
  ] as const)('%s with %i is %s', (written, direction, instant) => {
    expect(readInstant('--since', written, direction, NOW)).toBe(instant);
  });

  it.each([
    '',
    '7',
    'd',
    '7y',
    '-7d',
    '2026-02-31',
    '2026-13-01',
    '26.11.2026',
    'yesterday',
    '9999999d',
    '2026-11-26 25:00',
  ])('is not %j', (written) => expect(() => readInstant('--since', written, -1, NOW)).toThrow(UsageError));
});
