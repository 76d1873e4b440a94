import { act, flow, read, sectionFlows, type PublicClient } from '../flow.js';
import { IMAGE, INTERFACE_STATUS, LOGIN, UNAUTHORIZED } from './shared.js';

/* pytonika: a Python SDK that passes on what it is given. */

const rule = { name: 'web', src: 'wan', src_dport: '8080', dest: 'lan', dest_ip: '192.168.1.2', dest_port: '80' };

export const pytonika: PublicClient = {
  name: 'pytonika',
  login: 'top',
  accepts: 'body',
  flows: [
    read('/session/status', { 'data.active': 'bool' }),
    flow('recognises the device without a token', {
      send: 'GET /api/unauthorized/status',
      open: true,
      has: UNAUTHORIZED,
    }),
    read('/firmware/device/status', { 'data.version': 'text', 'data.kernel_version': 'text' }),
    read('/firmware/device/progress/status', { 'data.percents': 'text', 'data.process': 'text' }),
    read('/firmware/device/updates/status', { 'data.device.version': 'text' }),
    flow('is told that there is no firmware to flash', {
      send: 'POST /api/firmware/actions/upgrade',
      data: { keep_settings: '1' },
      status: 422,
      code: 3,
    }),
    flow('uploads firmware, verifies it, and removes it', {
      send: 'POST /api/firmware/actions/upload_device_firmware',
      file: 'firmware',
      has: IMAGE,
    }, { send: 'POST /api/firmware/actions/verify', has: IMAGE }, { send: 'POST /api/firmware/actions/delete_device_firmware' }),
    act('/firmware/actions/fota_download', undefined, { data: 'none' }),
    ...sectionFlows({
      path: '/users/config',
      create: { username: 'pyuser', password: 'Abcdefg1!', group: 'user' },
      change: { group: 'admin' },
      has: { username: 'text', group: 'text' },
    }),
    flow(
      'changes the password of another user',
      {
        send: 'POST /api/users/config',
        data: { username: 'pypass', password: 'Abcdefg1!', group: 'user' },
        save: { id: 'data.id' },
      },
      // All sessions end with it, and the client does not log in again by itself.
      { send: 'PUT /api/users/config/{id}', data: { password: 'Abcdefg2!' } },
      { send: 'POST /api/login', open: true, json: { username: '{username}', password: '{password}' }, has: LOGIN },
      { send: 'DELETE /api/users/config/{id}' },
    ),
    ...sectionFlows({
      path: '/interfaces/config', namesRemoved: false,
      create: { id: 'pyif', proto: 'static', ipaddr: '192.0.2.9', netmask: '255.255.255.0', enabled: '1' },
      change: { metric: '7' },
      has: { proto: 'text', ipaddr: 'text' },
    }),
    read('/interfaces/status', INTERFACE_STATUS),
    read('/interfaces/status/lan', { 'data.id': 'text' }),
    ...sectionFlows({
      path: '/wireguard/config',
      create: { id: 'pywg', listen_port: '51821', addresses: ['10.9.0.1/24'], enabled: '0' },
      change: { mtu: '1400' },
      has: { enabled: 'flag' },
    }),
    ...sectionFlows({
      path: '/wireguard/{wg}/peers/config',
      before: [{ send: 'POST /api/wireguard/config', data: { id: 'pywgp', enabled: '0' }, save: { wg: 'data.id' } }],
      create: { id: 'peer', public_key: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', allowed_ips: ['10.9.0.2/32'], persistent_keepalive: '25' },
      change: { endpoint_host: 'vpn.example.org' },
      after: [{ send: 'DELETE /api/wireguard/config/{wg}' }],
    }),
    act('/wireguard/actions/generate_keys', undefined, { 'data.private': 'text', 'data.public': 'text' }),
    ...sectionFlows({ path: '/firewall/port_forwards/config', create: rule, change: { dest_port: '81' } }),
    read('/firewall/connections/status', { data: 'any' }),
    read('/network/devices/config', { data: 'list' }),
    flow('is told that a user needs a password that is strong', {
      send: 'POST /api/users/config',
      data: { username: 'weak', password: 'weak', group: 'user' },
      status: 422,
      code: 103,
    }),
    flow('is told that a user exists', {
      send: 'POST /api/users/config',
      data: { username: 'admin', password: 'Abcdefg1!', group: 'user' },
      status: 422,
      code: 109,
    }),
    flow('ends its session', { send: 'POST /api/logout' }),
    flow('works on with a new login', { send: 'GET /api/session/status' }),
  ],
}; // prettier-ignore
