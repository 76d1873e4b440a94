import { describe, expect, it } from 'vitest';
import { holdsMarker, MarkerScan } from '../../src/device-api/redaction-marker.js';

const MARKER = 'hmac:2bf64e87bc2033a5';
const each = (form: (code: string) => string): string =>
  [...MARKER].map((character) => form(character.charCodeAt(0).toString(16))).join('');

/** What a device reads as a marker, or as a marker in another case. */
const FORMS: [form: string, text: string][] = [
  ['plain', MARKER],
  ['upper case', MARKER.toUpperCase()],
  ['an encoded colon', encodeURIComponent(MARKER)],
  ['encoded as in an address', each((code) => `%${code}`)],
  ['encoded as in an address, in upper case', each((code) => `%${code.toUpperCase()}`)],
  ['escaped as in JSON', each((code) => `\\u00${code}`)],
  ['escaped as in JSON, in upper case', each((code) => `\\u00${code.toUpperCase()}`)],
  ['one escaped letter', MARKER.replace('h', '\\u0068')],
  ['one escaped digit', MARKER.replace('2b', '\\u0032b')],
  ['JSON inside a text of JSON', JSON.stringify(JSON.stringify({ key: MARKER }).replace('hmac', 'hm\\u0061c'))],
];

const BYTES: [form: string, bytes: Buffer][] = [
  ...FORMS.map(([form, text]): [string, Buffer] => [form, Buffer.from(text)]),
  ['UTF-16', Buffer.from(MARKER, 'utf16le')],
  ['UTF-16 with the high byte first', Buffer.from(MARKER, 'utf16le').swap16()],
];

describe('a redaction marker', () => {
  it.each(FORMS)('is found in a text: %s', (_form, text) => {
    expect([text, `{"key":"${text}"}`, `a=1&b=x${text}x`].map(holdsMarker)).toEqual([true, true, true]);
  });

  it.each(BYTES)('is found in bytes, wherever the parts of them end: %s', (_form, bytes) => {
    const all = Buffer.concat([Buffer.alloc(300, 'x'), bytes]);
    const found = Array.from({ length: all.length + 1 }, (_, cut) => {
      const scan = new MarkerScan();
      return [scan.holds(all.subarray(0, cut)), scan.holds(all.subarray(cut))].includes(true);
    });
    expect(found).not.toContain(false);
    const scan = new MarkerScan();
    const single = Array.from(all, (byte) => scan.holds(Buffer.of(byte)));
    expect(single).toContain(true);
  });

  it.each(['hmac', 'hmac:', MARKER.slice(0, -1), MARKER.replace('a', 'g'), MARKER.replace(':', ';'), '%68mac', '\\u0068'])(
    'is not what only looks like one: %s',
    (text) => {
      expect(holdsMarker(text)).toBe(false);
      expect(new MarkerScan().holds(Buffer.from(text))).toBe(false);
    },
  ); // prettier-ignore
});
