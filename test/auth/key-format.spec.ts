import { describe, expect, it } from 'vitest';
import { digest, makeKey, prefixOf } from '../../src/auth/rights/key-format.js';

describe('an API key', () => {
  it('is found by its prefix and known by its digest', () => {
    const { key, prefix, hash } = makeKey();
    expect(key).toMatch(/^fg_[0-9A-Za-z]{8}_[0-9A-Za-z]{40}[0-9a-f]{6}$/);
    expect(prefixOf(key)).toBe(prefix);
    expect(hash).toEqual(digest(key));
  });

  it('is never the same twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => makeKey().key)).size).toBe(500);
  });

  it('is told from a mistyped one without asking the database', () => {
    const { key } = makeKey();
    const typo = key.slice(0, 20) + (key[20] === 'x' ? 'y' : 'x') + key.slice(21);
    expect(prefixOf(typo)).toBeNull();
  });

  it.each(['', 'fg_', 'Bearer x', 'fg_short_abc', 'fg_00000000_' + '0'.repeat(46)])('is not %p', (text) => {
    expect(prefixOf(text)).toBeNull();
  });
});
