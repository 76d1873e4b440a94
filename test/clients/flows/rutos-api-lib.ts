import { act, flow, read, type PublicClient, type Step } from '../flow.js';
import { UNAUTHORIZED } from './shared.js';
import { CONFIGURATION_PATHS } from './configuration-paths.js';

/* rutos-api-lib: reads whole configurations, singly and in bulk, and restores them. A GET has the body `{}`. */

/** Devices take at most 100 items at once. */
const BULK_ITEMS = 100;

const get = (path: string): { endpoint: string; method: string } => ({
  endpoint: path.endsWith('/config') ? `/api/${path}` : `/api/${path}/config`,
  method: 'GET',
});

/** Each answer of a configuration that is read is a list or a record. */
const bulk = (paths: readonly string[]): Step => ({
  send: 'POST /api/bulk',
  data: paths.map(get),
  has: { 'data[].success': 'bool', 'data[].data': 'list|object' },
});

const parts = Array.from({ length: Math.ceil(CONFIGURATION_PATHS.length / BULK_ITEMS) }, (_none, part) =>
  CONFIGURATION_PATHS.slice(part * BULK_ITEMS, (part + 1) * BULK_ITEMS),
);

const single = (path: string) =>
  flow(`reads ${path} with a body and a trailing slash`, {
    send: `GET /api/${path}/config/`,
    json: {},
    has: { data: 'list|object' },
  });

export const rutosApiLib: PublicClient = {
  name: 'rutos-api-lib',
  login: 'top',
  accepts: '2xx',
  flows: [
    flow('recognises the device without a token', { send: 'GET /api/unauthorized/status', open: true, has: UNAUTHORIZED }),
    read('/system/device/status', { 'data.mnfinfo.serial': 'text', 'data.static.fw_version': 'text' }),
    ...parts.map((paths, part) => flow(`reads configurations in bulk, part ${part + 1}`, bulk(paths))),
    flow('gets an error at the place of an item that is odd, and the others', {
      send: 'POST /api/bulk',
      data: [get('interfaces'), get('no_such'), { endpoint: '/api/interfaces//config', method: 'GET' }, get('users')],
      has: { 'data[].success': 'bool' },
    }),
    flow('is told that a bulk request is too long', {
      send: 'POST /api/bulk',
      data: Array.from({ length: BULK_ITEMS + 1 }, () => get('interfaces')),
      status: 400,
    }),
    ...['interfaces', 'wireless/interfaces', 'wireguard', 'openvpn', 'users', 'firewall/zones', 'dhcp/static_leases/ipv4', 'wireless/devices'].map(single),
    flow(
      'makes a backup and downloads it',
      { send: 'POST /api/backup/actions/generate', data: { encrypt: '0', password: '' }, has: { 'data.sha256': 'text' } },
      { send: 'POST /api/backup/actions/download' , has: {} , status: 200 },
    ),
    flow('uploads firmware without other form fields', {
      send: 'POST /api/firmware/actions/upload_device_firmware',
      file: 'firmware',
      has: { 'data.valid': 'text', 'data.sha256': 'text' },
    }),
    act('/firmware/actions/delete_device_firmware'),
    flow('is told that there is no firmware to flash', {
      send: 'POST /api/firmware/actions/upgrade',
      data: { keep_settings: '0' },
      status: 422,
      code: 3,
    }),
    flow(
      'adds a user and removes it',
      { send: 'POST /api/users/config/', data: { username: 'rl', password: 'Abcdefg1!', group: 'user' }, save: { id: 'data.id' } },
      { send: 'DELETE /api/users/config/{id}/', json: {} },
    ),
    flow('is told which of its options is wrong', {
      send: 'POST /api/users/config',
      data: { username: 'rl', password: 'weak', group: 'user' },
      status: 422,
      has: { 'errors[].source': 'text', 'errors[].code': 'number', 'errors[].error': 'text' },
    }),
    flow('ends its session', { send: 'POST /api/logout', json: {} }),
    flow(
      'restores a backup, and the device restarts',
      { send: 'POST /api/backup/actions/upload', file: 'downloaded', has: { data: 'object|list' } },
      { send: 'POST /api/backup/actions/apply', data: { encrypt: '0', password: '' }, has: { data: 'object' } },
    ),
  ],
}; // prettier-ignore
