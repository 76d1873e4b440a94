import { describe, expect, it } from 'vitest';
import { storableJson, storableText } from '../../src/database/storable.js';

describe('what devices say, made storable', () => {
  it('loses U+0000 and halves of surrogate pairs, in texts and in names', () => {
    const value = { 'a\0b': ['x\0y', 'z\ud800'], 'ok 😀': { deep: '\0' } };
    expect(JSON.parse(storableJson(value))).toEqual({ ab: ['xy', 'z\ufffd'], 'ok 😀': { deep: '' } });
  });

  it('keeps a text that only looks like an escape', () => {
    expect(JSON.parse(storableJson({ a: '\\u0000' }))).toEqual({ a: '\\u0000' });
  });

  it('keeps dates and numbers as JSON does', () => {
    expect(storableJson({ at: new Date(0), n: 1, none: undefined })).toBe('{"at":"1970-01-01T00:00:00.000Z","n":1}');
  });

  it('is cut where it is too long, and not inside a character', () => {
    expect(storableText('abc', 2)).toBe('ab');
    expect(storableText('a😀', 2)).toBe('a\ufffd');
  });
});
