import { describe, expect, it } from 'vitest';
import { isJsonType, mediaType } from '../../src/device-api/media-type.js';

describe('the media type of an answer', () => {
  it.each([
    ['application/json', 'application/json', true],
    ['application/json; charset=utf-8', 'application/json', true],
    ['application/json;charset=utf-8', 'application/json', true],
    ['APPLICATION/JSON ; charset="utf-8"', 'application/json', true],
    ['Application/Problem+JSON', 'application/problem+json', true],
    ['text/json', 'text/json', true],
    ['text/html', 'text/html', false],
    [' Text/HTML;', 'text/html', false],
    ['application/xhtml+xml; q=1', 'application/xhtml+xml', false],
    ['application/jsonx', 'application/jsonx', false],
    ['text/plain; note=application/json', 'text/plain', false],
    [['text/html', 'application/json'], 'text/html', false],
    [';', '', false],
    ['', '', false],
    [undefined, '', false],
  ])('of %j is %j', (header, type, isJson) => {
    expect(mediaType(header)).toBe(type);
    expect(isJsonType(mediaType(header))).toBe(isJson);
  });
});
