import { describe, expect, it } from 'vitest';
import { isTextType } from '../../../console/src/screens/device-api/text-type.js';

describe('the answer of a device', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; charset=utf-8', true],
    ['TEXT/HTML', true],
    ['text/plain;charset=utf-8', true],
    ['Application/XHTML+XML', true],
    ['APPLICATION/XML', true],
    ['', true],
    ['application/octet-stream', false],
    ['Application/GZIP', false],
    ['image/png; name=text', false],
    ['application/x-tar', false],
  ])('with the media type %j is shown as text: %s', (type, isText) => {
    expect(isTextType(type)).toBe(isText);
  });
});
