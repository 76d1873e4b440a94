import { describe, expect, it } from 'vitest';
import { type Operation } from '../../../../console/src/screens/device-api/operation.js';
import {
  foundOptions,
  matchesOf,
  wordsOf,
} from '../../../../console/src/screens/device-configuration/finding/found-options.js';
import { servicesOf } from '../../../../console/src/screens/device-configuration/services.js';

/* The settings that a search finds on a device. */

const DHCP = '/api/dhcp/servers/ipv4/config';
const WIFI = '/api/wireless/interfaces/config';

const option = (name: string) => ({ name, isList: false, values: null, type: null, preset: null, isRequired: false });
const operation = (method: Operation['method'], path: string, names: readonly string[]) =>
  ({ method, path, summary: '', query: [], options: names.map(option), takesFile: false }) as unknown as Operation;

const services = servicesOf([
  operation('GET', DHCP, []),
  operation('PUT', `${DHCP}/{id}`, ['leasetime', 'start_ip']),
  operation('GET', WIFI, []),
  operation('PUT', `${WIFI}/{id}`, ['ssid', 'key']),
]);

const SECTIONS = new Map<string, unknown>([
  [
    DHCP,
    [
      { id: 'guest', interface: 'guest' },
      { id: 'lan', interface: 'lan', leasetime: '12h' },
    ],
  ],
  [WIFI, [{ id: 'w1', ssid: 'Pumps', key: 'hmac:0123456789abcdef' }]],
]);

const found = (text: string, sections?: ReadonlyMap<string, unknown>) =>
  foundOptions(matchesOf(services, wordsOf(text)), sections);

describe('a search for a setting', () => {
  it('names the options that have all words, before the device has answered', () => {
    expect(found('lease time').map(({ title, section, option }) => [title, section, option])).toEqual([
      ['DHCP servers › Lease time', null, 'leasetime'],
    ]);
    expect(found('dhcp')).toEqual([]);
    expect(found('e')).toEqual([]);
  });

  it('names those of each section, with a value first, and no secret', () => {
    expect(found('lease', SECTIONS).map(({ section, value }) => [section, value])).toEqual([
      ['lan', '12h'],
      ['guest', null],
    ]);
    expect(found('wireless password', SECTIONS).map(({ value }) => value)).toEqual([null]);
    expect(found('lease', new Map([[DHCP, 'no list']])).map(({ section }) => section)).toEqual([null]);
  });
});
