import { describe, expect, it } from 'vitest';
import { chooseEncoding } from '../../src/openapi/prepared-answer.js';

describe('the encoding of a prepared answer', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000 , gzip;q=0', 'identity'],
    ['br;q=0.001', 'br'],
    ['*', 'identity'],
    ['deflate, x-gzip', 'identity'],
    [',,;;,br', 'br'],
    ['brotli', 'identity'],
  ])('for Accept-Encoding %s is %s', (accepted, encoding) => {
    expect(chooseEncoding(accepted)).toBe(encoding);
  });
});
