import { expect, it } from 'vitest';
import { canonicalMac, macPattern, shownMac } from '../../src/device-api/mac.js';

it.each([
  '00:1e:42:aa:bb:cc',
  '00:1E:42:AA:BB:CC',
  '001E42AABBCC',
  '001e42aabbcc',
  '001e.42aa.bbcc',
  '001E-42AA-BBCC',
  '001e:42aa:bbcc',
  '00-1E-42-AA-BB-CC',
  '00.1e.42.aa.bb.cc',
  '00 1E 42 AA BB CC',
  '001E42-AABBCC',
  '0:1e:42:aa:bb:cc',
  ' 00:1e:42:aa:bb:cc ',
])('%s is one spelling of a MAC address', (text) => {
  expect(canonicalMac(text)).toBe('00:1e:42:aa:bb:cc');
});

it.each([
  '',
  '1E42AABBCC',
  '001e42aabbccdd',
  '00:1e:42:aa:bb',
  '00:1e:42:aa:bb:cc:dd',
  '00:1e:4:2aa:bb:cc',
  '00:1e-42:aa-bb:cc',
  '001e.42aa-bbcc',
  '00:1g:42:aa:bb:cc',
  '1.00E+12',
  '００:1e:42:aa:bb:cc',
  'x'.repeat(100_000),
])('%s is none', (text) => {
  expect(canonicalMac(text)).toBeNull();
});

it.each([
  ['001e.42aa.bbcc', '00:1e:42:aa:bb:cc'],
  ['00:1e:42:*', '00:1e:42:*'],
  ['*:bb:cc', '*:bb:cc'],
  ['*1e:42*', '*1e:42*'],
  ['001E42*', '00:1e:42*'],
  ['00-1E-42*', '00:1e:42*'],
  ['001e.42*', '00:1e:42*'],
  ['001e4*', '00:1e:4*'],
  ['*bbcc', '*bb:cc'],
  ['*-BB-CC', '*bb:cc'],
  ['*bcc', '*b:cc'],
  ['001e*cc', '00:1e*cc'],
  ['*', '*'],
  ['0-1E-42-*', '00:1e:42*'],
  ['0:1e:42:*', '00:1e:42:*'],
  ['0:*', '00:*'],
  ['*:a:b', '*:0a:0b'],
  ['*:a:bb', '*:0a:bb'],
  ['*-A-B', '*0a:0b'],
  ['0:1:2*', '00:01:2*'],
  ['0.1e.4*', '00:1e:4*'],
  ['0 1e 42*', '00:1e:42*'],
  ['0:1e:*:a', '00:1e:*:0a'],
  ['router*', null],
  ['*1e42*', null],
  ['001e42aabbccdd*', null],
  ['1E42AABBCC', null],
  [`${'00:'.repeat(12)}*`, null],
])('the pattern %s is %s', (text, pattern) => {
  expect(macPattern(text)).toBe(pattern);
});

it('is shown in one form where the name of a field says that it is one', () => {
  expect(shownMac('mnfinfo.macEth', '021E00000000')).toBe('02:1e:00:00:00:00');
  expect(shownMac('bssid', '02-1E-00-00-00-00')).toBe('02:1e:00:00:00:00');
  expect(shownMac('serial', '021E00000000')).toBe('021E00000000');
  expect(shownMac('mac', 'unknown')).toBe('unknown');
});
