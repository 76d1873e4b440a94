import { act, flow, type Flow, type PublicClient } from '../flow.js';

/* panther_rutx11: sets up the router of a robot, once. It takes 200 and 201 as success. */

const put = (path: string, data: unknown): Flow => flow(`sets ${path}`, { send: `PUT /api${path}`, data });

const SENTENCES = 'GPGSV GPGGA GPVTG GPRMC GPGSA GLGSV GNGSA GNGNS GAGSV PQGSV PQGSA'.split(' ');

export const panther: PublicClient = {
  name: 'panther_rutx11',
  login: 'top',
  accepts: '2xx',
  flows: [
    flow('sets both uplinks at once', {
      send: 'PUT /api/interfaces/config',
      data: [
        { id: 'wan', metric: '1', enabled: '1' },
        { id: 'wan6', enabled: '0' },
      ],
    }),
    flow('sets the address of the network', { send: 'PUT /api/interfaces/config/lan', data: { ipaddr: '10.15.20.1' } }),
    flow(
      'adds an interface for Wi-Fi, and removes it',
      { send: 'POST /api/interfaces/config', data: { name: 'wifi_wan', proto: 'dhcp', area_type: 'wan', enabled: '1' }, save: { id: 'data.id' } },
      { send: 'DELETE /api/interfaces/config/{id}' },
    ),
    flow(
      'resets twice: the interface goes with the network that uses it',
      ...[1, 2].flatMap(() => [
        { send: 'POST /api/interfaces/config', data: { id: 'wwan', name: 'wwan', area_type: 'wan', metric: '2', proto: 'dhcp' } },
        { send: 'POST /api/wireless/interfaces/config', data: { id: 'wifi-iface', network: 'wwan', device: ['radio1'], mode: 'multi_ap', enabled: '1', scan_time: '30' } },
        { send: 'DELETE /api/wireless/interfaces/config', data: ['wifi-iface'] },
      ]),
      { send: 'GET /api/interfaces/config/wan' },
    ),
    put('/firewall/zones/config/3', { network: ['wan', 'wan6'] }),
    put('/wireless/devices/config/radio0', { channel: '6', enabled: '1' }),
    put('/wireless/devices/config/radio1', { channel: '36', enabled: '1' }),
    put('/wireless/devices/global', { country: 'PL' }),
    put('/wireless/interfaces/config/default_radio0', { ssid: 'Panther', encryption: 'psk2', key: 'Correct-Horse-9' }),
    put('/wireless/interfaces/config/default_radio1', { ssid: 'Panther_5G', encryption: 'psk2', key: 'Correct-Horse-9' }),
    flow(
      'adds networks to join',
      { send: 'POST /api/wireless/interfaces/config', data: { mode: 'multi_ap', device: ['radio0'], network: 'wan', enabled: '1' }, save: { id: 'data.id' } },
      { send: 'POST /api/wireless/multi_ap/config', data: { ssid: 'Lab', key: 'Correct-Horse-9', enabled: '1' }, has: { 'data.id': 'text' } },
      { send: 'DELETE /api/wireless/interfaces/config/{id}' },
    ),
    put('/dhcp/servers/ipv4/config/lan', { start_ip: '10.15.20.100', end_ip: '10.15.20.200', enable_dhcpv4: '1' }),
    flow(
      'gives the computers of the robot their addresses',
      { send: 'POST /api/dhcp/static_leases/ipv4/config', data: { name: 'pc', mac: '00:1E:42:00:00:01', ip: '10.15.20.2' }, save: { id: 'data.id' } },
      { send: 'DELETE /api/dhcp/static_leases/ipv4/config/{id}' },
    ),
    put('/date_time/ntp/client/config/ntpclient', { enabled: '1', zoneName: 'Europe/Warsaw' }),
    put('/gps/global', { enabled: '1', galileo_sup: '1' }),
    put('/gps/nmea/config/nmea_forwarding', { enabled: '1', port: '5000', proto: 'udp', hostname: '10.15.20.2' }),
    flow('sets which sentences are sent', {
      send: 'PUT /api/gps/nmea/rules/config',
      data: SENTENCES.map((id) => ({ id, forwarding_enabled: '1', forwarding_interval: '1' })),
    }),
    flow('is told that an option does not exist', {
      send: 'PUT /api/interfaces/config/lan',
      data: { no_such_option: '1' },
      status: 422,
      code: 103,
    }),
    act('/system/actions/reboot', {}),
  ],
}; // prettier-ignore
