import { describe, expect, it } from 'vitest';
import { networkOperatorOf } from '../../src/device-api/identity-facts.js';

describe('the network operator of a device', () => {
  it.each<[string, unknown, string | null]>([
    ['of the only modem', [{ operator: 'Testnet LT', oper: 'Testnet LT' }], 'Testnet LT'],
    ['of older firmware, which has `oper` alone', [{ oper: 'Testnet LT' }], 'Testnet LT'],
    ['of the primary modem', [{ operator: 'Other' }, { primary: true, operator: 'Testnet LT' }], 'Testnet LT'],
    ['of a second modem while the primary one searches', [{ primary: true, oper: 'N/A' }, { oper: 'Other' }], 'Other'],
    ['without control and direction characters', [{ operator: '\u202eTest\u0000net\n LT\u2028' }], 'Testnet LT'],
    ['without half of a character at its end', [{ operator: `${'n'.repeat(63)}\u{1f4f6}` }], 'n'.repeat(63)],
    ['of at most 64 characters', [{ operator: 'n'.repeat(10_000) }], 'n'.repeat(64)],
    ['none while every modem searches', [{ operator: 'N/A', oper: '' }], null],
    ['none of blanks', [{ operator: '  \t ' }], null],
    ['none of other types', [{ operator: 7, oper: ['x'] }, null, 'x'], null],
    ['none without a list', { operator: 'Testnet LT' }, null],
    ['none of a ninth modem', [...Array.from({ length: 8 }, () => ({})), { operator: 'Testnet LT' }], null],
    ['none without modems', [], null],
    ['none without an answer', undefined, null],
  ])('%s', (_, data, expected) => {
    expect(networkOperatorOf(data)).toBe(expected);
  });
});
