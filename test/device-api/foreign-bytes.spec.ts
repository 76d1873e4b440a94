import { describe, expect, it } from 'vitest';
import { deviceError, loginAnswer, success, systemStatus, unauthorizedStatus } from '../../src/device-api/contract.js';
import { deviceJson, readRequestJson } from '../../src/device-api/device-json.js';
import { identityFacts } from '../../src/device-api/identity-facts.js';

/* What devices pass on as bytes, and facts of other types: read as far as they can be, and never written as another text. */

const FOREIGN: [string, number[]][] = [
  ['ISO 8859-1', [0xe9]],
  ['0xff', [0xff]],
  ['a continuation alone', [0x80]],
  ['half a character of two bytes', [0xc3]],
  ['half a character of three bytes', [0xe2, 0x82]],
  ['three quarters of a character', [0xf0, 0x9f, 0x98]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
  ['a form that is too long', [0xc0, 0xaf]],
  ['beyond the last character', [0xf5, 0x80, 0x80, 0x80]],
  ['Shift JIS', [0x83, 0x65]],
  ['GBK', [0xc4, 0xe3]],
];

const body = (bytes: number[]) =>
  Buffer.concat([Buffer.from('{"success":true,"data":{"ssid":"caf'), Buffer.from(bytes), Buffer.from('","id":"1"}}')]);

describe('a body with bytes that are not UTF-8', () => {
  it.each(FOREIGN)('is read, with U+FFFD in their place: %s', (_what, bytes) => {
    const { data } = deviceJson(body(bytes)) as { data: { ssid: string; id: string } };
    expect(data.ssid).toMatch(/^caf.*\uFFFD/);
    expect(data.id).toBe('1');
  });

  it.each(FOREIGN)('is refused with its place when it is for a device: %s', (_what, bytes) => {
    expect(() => readRequestJson(body(bytes))).toThrow('not UTF-8 from byte 35 on');
  });

  it('is found behind characters of all lengths', () => {
    const start = Buffer.from('{"data":"aé€😀');
    const whole = Buffer.concat([start, Buffer.from([0xff]), Buffer.from('"}')]);
    expect(() => readRequestJson(whole)).toThrow(`not UTF-8 from byte ${start.length} on`);
  });
});

const FACTS: [string, () => unknown, unknown][] = [
  ['a serial number', () => systemStatus.parse({ mnfinfo: { serial: 1_112_223_334 } }).mnfinfo.serial, '1112223334'],
  ['a MAC address', () => systemStatus.parse({ mnfinfo: { serial: '1', mac: {} } }).mnfinfo.serial, '1'],
  ['a hardware version', () => systemStatus.parse({ mnfinfo: { serial: '1', hwver: 401 } }).mnfinfo.hwver, '401'],
  ['the fixed facts', () => systemStatus.parse({ mnfinfo: { serial: '1' }, static: 'no' }).static, undefined],
  [
    'a host name',
    () => systemStatus.parse({ mnfinfo: { serial: '1' }, static: { hostname: 7, model: 'X' } }).static?.model,
    'X',
  ],
  ['the board', () => systemStatus.parse({ mnfinfo: { serial: '1' }, board: [] }).mnfinfo.serial, '1'],
  ['a device name', () => unauthorizedStatus.parse({ device_name: 7, api_version: '1.9' }).api_version, '1.9'],
  ['an API version', () => unauthorizedStatus.parse({ device_name: 'a', api_version: 1.9 }).device_name, 'a'],
  ['a language', () => success(unauthorizedStatus).parse({ success: true, data: { lang: [] } }).success, true],
  [
    'the end of a token',
    () => loginAnswer.parse({ success: true, data: { token: 't', expires: 'soon' } }).expires,
    300,
  ],
  ['a user', () => loginAnswer.parse({ success: true, data: { token: 't', username: 5 } }).token, 't'],
  ['a code', () => deviceError.parse({ code: '123' }).code, 123],
  ['a message', () => deviceError.parse({ code: 103, error: ['no'] }).code, 103],
  ['a source', () => deviceError.parse({ code: 103, source: {}, section: 1 }).section, '1'],
];

describe('a fact of another type', () => {
  it.each(FACTS)('takes no other with it: %s', (_what, read, expected) => {
    expect(read()).toBe(expected);
  });

  it('is no serial number when it cannot be one', () => {
    const serials = [null, '', '  ', 'N/A', 1.5, 1e300, true, {}, [], 'x'.repeat(65), 'a\nb'];
    expect(serials.map((serial) => identityFacts({ mnfinfo: { serial } }).serial)).toEqual(serials.map(() => null));
  });
});

describe('the model of a device', () => {
  it.each<[string, unknown, unknown, string | null]>([
    ['begins its product code', 'RUT24103XXXX', 'Teltonika RUT2M', 'RUT241'],
    ['ends with a digit', 'RUTXR1000000', 'RUTXR1', 'RUTXR1'],
    ['is what the status calls it, where there is no code', undefined, 'RUTX50', 'RUTX50'],
    ['is what the status calls it, where the code has another form', 'custom', 'Gateway 7', 'Gateway 7'],
    ['is not known from its platform alone', 'N/A', 'Teltonika RUT2M', null],
    ['is not known from other values', 7, {}, null],
  ])('%s', (_what, name, model, expected) => {
    expect(identityFacts({ mnfinfo: { serial: '1', name }, static: { model } }).model).toBe(expected);
  });
});
