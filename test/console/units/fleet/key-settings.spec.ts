import { expect, it } from 'vitest';
import { keySettings } from '../../../../console/src/screens/device-configuration/first/key-settings.js';

/* The settings that people ask for first, of what a device answers. */

const ANSWERS = new Map<string, unknown>([
  ['/api/system/config', [{ id: 'system', devicename: 'pump-1' }]],
  [
    '/api/interfaces/config',
    [
      { id: 'lan', area_type: 'lan', enabled: '1', ipaddr: '192.168.1.1', netmask: '255.255.255.0' },
      { id: 'wan', area_type: 'wan', enabled: '1', proto: 'dhcp', name: 'wan' },
      {
        id: 'mob1s1a1',
        area_type: 'wan',
        enabled: '1',
        proto: 'wwan',
        name: 'mob1s1a1',
        sim: '1',
        apn: 'fleet.example',
      },
      { id: 'mob2', area_type: 'wan', enabled: '0', proto: 'wwan', name: 'mob2', sim: '2' },
    ],
  ],
  ['/api/wireless/interfaces/config', [{ ssid: 'Pumps', encryption: 'none', enabled: '0' }]],
  ['/api/dhcp/servers/ipv4/config', [{ enable_dhcpv4: '1', start_ip: '192.168.1.100', end_ip: '192.168.1.249' }]],
  ['/api/ntp/servers/config', [{ hostname: 'time.example' }, { hostname: '' }, { hostname: 7 }]],
]);

it('are said in words, each with the section and the option where it is changed', () => {
  const shown = keySettings(ANSWERS);
  expect(Object.fromEntries(shown.map(({ name, value }) => [name, value]))).toEqual({
    'Name of the router': 'pump-1',
    'LAN address': '192.168.1.1 / 255.255.255.0',
    'Addresses for clients': '192.168.1.100 to 192.168.1.249',
    'Internet through': 'WAN (DHCP) · Mobile, SIM 1',
    'Mobile APN': 'SIM 1: fleet.example',
    'Wi-Fi': 'Pumps (off)',
    'Time servers': 'time.example',
  });
  expect(shown.every(({ path }) => ANSWERS.has(path))).toBe(true);
  expect(Object.fromEntries(shown.map(({ name, section, option }) => [name, [section, option]]))).toEqual({
    'Name of the router': ['system', 'devicename'],
    'LAN address': ['lan', 'ipaddr'],
    'Addresses for clients': [null, 'start_ip'],
    'Internet through': [null, null],
    'Mobile APN': ['mob1s1a1', 'apn'],
    'Wi-Fi': [null, 'ssid'],
    'Time servers': [null, 'hostname'],
  });
});

it('are left out where the device says nothing, or something else', () => {
  expect(keySettings(new Map())).toEqual([]);
  expect(keySettings(new Map<string, unknown>([['/api/system/config', 'no'], ['/api/interfaces/config', [null, 3]]]))).toEqual([]); // prettier-ignore
});
