import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../../console/src/screens/devices/adding/device-address.js';

describe('the address of a device', () => {
  it.each([
    ['192.0.2.7', 'https://192.0.2.7'],
    [' 192.0.2.7:8443 ', 'https://192.0.2.7:8443'],
    ['pump-1.example', 'https://pump-1.example'],
    ['https://pump-1.example/', 'https://pump-1.example'],
    ['HTTPS://192.0.2.7:443', 'https://192.0.2.7'],
    ['2001:db8::7', 'https://[2001:db8::7]'],
    ['[2001:db8::7]:8443', 'https://[2001:db8::7]:8443'],
  ])('may be %s', (typed, url) => {
    expect(readAddress(typed)).toEqual({ url, wrong: null });
  });

  it.each([
    ['http://192.0.2.7', /https alone/],
    ['ftp://192.0.2.7', /https alone/],
    ['192.0.2', /four numbers/],
    ['192.0.2.07', /four numbers/],
    ['3221225991', /four numbers/],
    ['192.0.2.700', /no IP address/],
    ['admin:secret@192.0.2.7', /fields of their own/],
    ['192.0.2.7/login', /ends after the host/],
    ['192.0.2.7?x', /ends after the host/],
    ['192.0.2.7:0', /1 to 65535/],
    ['192.0.2.7:99999', /no host with a port/],
    ['192.0.2 .7', /no spaces/],
  ])('is not %s', (typed, wrong) => {
    const read = readAddress(typed);
    expect(read.url).toBeNull();
    expect(read.wrong).toMatch(wrong);
  });
});
