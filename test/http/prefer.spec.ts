import { describe, expect, it } from 'vitest';
import { readWait } from '../../src/http/prefer.js';

describe('the Prefer header', () => {
  it.each([
    ['wait=10', 10],
    ['Wait = 10', 10],
    ['wait="7"', 7],
    ['respond-async, wait=5', 5],
    ['wait=5; foo=bar', 5],
    ['wait=3, wait=9', 3],
    ['wait=0', 0],
    ['wait=600', 50],
    ['respond-async', null],
    ['wait', null],
    ['wait=soon', null],
    ['wait=-1', null],
    ['', null],
    [undefined, null],
  ])('%s asks for a wait of %s', (header, seconds) => {
    expect(readWait(header)).toBe(seconds);
  });
});
