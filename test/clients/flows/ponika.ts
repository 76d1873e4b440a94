import { act, flow, read, sectionFlows, type Fields, type PublicClient } from '../flow.js';
import { PONIKA_SECTIONS } from './ponika-sections.js';
import {
  IMAGE,
  INTERFACE_STATUS,
  LOGIN,
  MESSAGES,
  POSITION,
  SMS,
  USAGE,
  WHOLE_MODEM,
  WIRELESS_STATUS,
} from './shared.js';

/* ponika: a typed Python SDK with configuration as code. It refuses fields of other types, and `data` where none belongs. */

const NEIGHBOURS = { 'data[].dev': 'text', 'data[].dest': 'text', 'data[].family': 'text' };
const TEXT = { 'data.response': 'text' };
const PIN = '1234';

const each = (path: string, type: string, names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [`${path}.${name}`, type]));
const HISTORY = (path: string): Fields => ({
  ...each(path, 'text', 'timestamp band'),
  ...each(path, 'number', 'network_type rssi rsrp rsrq sinr'),
});

/** Options that a SIM card must have in both directions. */
const CARD = 'id signal_reset_threshold signal_reset_timeout opermode operlist_name sms_limit_num sms_limit period';

const reads = [
  read('/session/status', { 'data.active': 'bool' }),
  read('/system/device/status', { 'data.mnfinfo.serial': 'text', 'data.static.model': 'text', 'data.board.modems[].id': 'text' }),
  read('/system/device/usage/status', USAGE),
  read('/system/device/load/status', { data: 'list' }),
  read('/system/device/packages/status', { data: 'list' }),
  read('/system/device/parameters/status', { 'data[].id': 'any', 'data[].type': 'text', 'data[].description': 'text' }),
  read('/system/languages/options', each('data[]', 'text', 'name code filename')),
  read('/firmware/device/status', { 'data.version': 'text', 'data.build_date': 'text', 'data.kernel_version': 'text' }),
  read('/firmware/device/progress/status', { 'data.percents': 'text', 'data.process': 'text' }),
  read('/firmware/device/updates/status', { 'data.device.version': 'text' }),
  read('/backup/status', { 'data.backup_exists': 'flag', 'data.default_exists': 'flag', 'data.sha256': 'text', 'data.md5': 'text' }),
  read('/modems/status', WHOLE_MODEM),
  read('/modems/status/2-1', { 'data.id': 'text', 'data.temperature': 'whole' }),
  read('/modems/apns/status', { 'data[].modem': 'text', 'data[].apns[].id': 'number', ...each('data[].apns[]', 'text', 'apn user password carrier auth pdptype') }),
  read('/modems/signal/status', { 'data[].modem': 'text', ...HISTORY('data[].signal[]') }),
  read('/modems/signal/status/2-1', HISTORY('data[]')),
  read('/modems/scan/status', { 'data[].modem': 'text', 'data[].last_scan': 'text', 'data[].operators': 'list' }),
  read('/modems/countries/status', { 'data[].mcc': 'text', 'data[].country': 'text' }),
  ...['day', 'week', 'month', 'total'].map((interval) => read(`/data_usage/${interval}/status`, { 'data[]': 'usage' })),
  read('/messages/status', MESSAGES),
  read('/gps/position/status', POSITION),
  read('/gps/status', { 'data.dpo_support': 'bool', 'data.uptime': 'number' }),
  read('/interfaces/status', INTERFACE_STATUS),
  read('/interfaces/status/lan', { 'data.id': 'text', 'data.name': 'text' }),
  read('/internet_connection/status', { 'data.ipv4_status': 'text', 'data.ipv6_status': 'text', 'data.dns_status': 'text' }),
  read('/ip_neighbors/ipv4/status', NEIGHBOURS),
  read('/ip_neighbors/ipv6/status', { data: 'list' }),
  read('/dhcp/leases/ipv4/status', { 'data[].macaddr': 'text', 'data[].ipaddr': 'text', 'data[].expires': 'number', 'data[].interface': 'text' }),
  read('/dhcp/leases/ipv6/status', { data: 'list' }),
  read('/dhcp/servers/ipv4/status', { 'data[].id': 'text', 'data[].running': 'bool', 'data[].interface': 'list' }),
  read('/wireless/interfaces/status', WIRELESS_STATUS),
  read('/wireless/devices/status', { 'data[].id': 'text', 'data[].up': 'bool', 'data[].quality_max': 'number', 'data[].standard': 'text' }),
  read('/openvpn/status', { data: 'list' }),
  read('/tailscale/status', { data: 'list' }),
  read('/sms_utilities/rules/options', { 'data.actions': 'list', ...each('data.params[]', 'text', 'id type description') }),
  read('/auto_reboot/ping_wget/options', { 'data.available_ports': 'list' }),
  read('/wireless/interfaces/status/default_radio0', { 'data.id': 'text', 'data.ssid': 'text' }),
  read('/wireless/devices/status/radio0', { 'data.id': 'text', 'data.up': 'bool' }),
]; // prettier-ignore

const records = [
  ['/gps/global', { enabled: '1' }],
  ['/modems/2-1/global', { flight_mode: '0' }],
].map(([path, data]) =>
  flow(`reads and changes ${path as string}`, { send: `GET /api${path as string}` }, { send: `PUT /api${path as string}`, data }),
); // prettier-ignore

/** Sections that a device has once, and that no client creates. */
const fixedSections = [
  ['/system/config', { devicename: 'depot' }],
  ['/system/banner/config', { enabled: '1', title: 'Note', message: 'Authorised use only' }],
  ['/tailscale/config', { auth_type: 'url', accept_routes: '1' }],
].map(([path, data]) =>
  flow(
    `reads and changes ${path as string}`,
    { send: `GET /api${path as string}`, has: { 'data[].id': 'text' }, save: { id: 'data.0.id' } },
    { send: `PUT /api${path as string}/{id}`, data },
  ),
);

const fixedLists = ['/system/led/config', '/system/buttons/config', '/wireless/devices/config', '/dhcp/servers/ipv4/config'].map(
  (path) => read(path, { 'data[].id': 'text' }),
).concat(read('/modems/2-1/sim_cards/config', each('data[]', 'text', CARD))); // prettier-ignore

const actions = [
  flow(
    'takes the list of operators off a card, and still reads it',
    { send: 'PUT /api/modems/2-1/sim_cards/config/1', data: { operlist_name: '' } },
    { send: 'GET /api/modems/2-1/sim_cards/config/1', has: { 'data.operlist_name': '=""' } },
  ),
  flow('is told that there is no firmware to flash', { send: 'POST /api/firmware/actions/upgrade', data: { keep_settings: '1', suppress_validation: '0' }, status: 422, code: 3 }),
  act('/firmware/actions/fota_download', undefined, { data: 'none' }),
  flow(
    'uploads firmware with form fields, verifies and removes it',
    { send: 'POST /api/firmware/actions/upload_device_firmware', file: 'firmware', fields: { keep_settings: '1', suppress_validation: '0' }, has: IMAGE },
    { send: 'POST /api/firmware/actions/verify', has: IMAGE },
    { send: 'POST /api/firmware/actions/delete_device_firmware', has: TEXT },
  ),
  flow('is told that there is no backup to download', { send: 'POST /api/backup/actions/download', status: 404 }),
  flow(
    'makes a backup and downloads it',
    { send: 'POST /api/backup/actions/generate', data: { encrypt: '0' }, has: { 'data.sha256': 'text', 'data.md5': 'text' } },
    { send: 'POST /api/backup/actions/download', status: 200 },
  ),
  act('/backup/actions/delete', undefined, { 'data.sha256': 'text', 'data.md5': 'text' }),
  act('/backup/actions/create_default'),
  act('/backup/actions/remove_default'),
  act('/messages/actions/send', SMS, { 'data.sms_used': 'number' }),
  flow(
    'removes a message that it has read',
    { send: 'GET /api/messages/status', save: { id: 'data.0.id', modem: 'data.0.modem_id' } },
    { send: 'POST /api/messages/actions/remove_messages', data: { modem_id: '{modem}', sms_id: ['{id}'] }, has: TEXT },
  ),
  act('/modems/2-1/actions/send_ussd', { ussd: '*100#' }, { ...each('data', 'text', 'response message coding_scheme timestamp'), 'data.state_id': 'number' }),
  act('/modems/2-1/actions/exec_at', { command: 'ATI' }, TEXT),
  act('/modems/2-1/actions/scan_network', undefined, { ...each('data[]', 'text', 'status op_name short_name num_name net_access_type'), 'data[].status_code': 'number' }),
  act('/modems/2-1/actions/sim_unlock', { pin: PIN }),
  act('/modems/2-1/actions/pin_lock', { pin: PIN, enabled: '0' }),
  act('/modems/2-1/actions/change_pin', { pin: PIN, new_pin: '4321' }),
  act('/modems/2-1/actions/sim_unblock', { pin: PIN, puk: '12345678' }),
  act('/wireless/actions/scan', { device: 'radio0' }, { 'data[].ssid': 'text', 'data[].quality_max': 'number' }),
  act('/wireless/actions/join', { device: 'radio0', ssid: 'Depot', password: 'Correct-Horse-9' }, { 'data.id': 'text' }),
  act('/wireguard/actions/generate_keys', undefined, { 'data.private': 'text', 'data.public': 'text' }),
  act('/diagnostics/actions/ping', { host: '192.0.2.1', proto: 'ipv4' }, TEXT),
  act('/diagnostics/actions/traceroute', { host: '192.0.2.1', proto: 'ipv4' }, TEXT),
  act('/diagnostics/actions/nslookup', { host: 'example.org' }, TEXT),
  act('/recipients/email_users/actions/send_email', { smtp_ip: '192.0.2.5', smtp_port: '25', senderemail: 'a@example.org', secure_conn: '0', username: '', password: '' }),
  flow(
    'reads the compression of an OpenVPN client, which has none',
    { send: 'POST /api/openvpn/config', data: { id: 'pnlzo', enable: '0' }, has: { 'data.comp_lzo': 'none' } },
    { send: 'PUT /api/openvpn/config/pnlzo', data: { comp_lzo: 'adaptive' }, has: { 'data.comp_lzo': '="adaptive"' } },
    { send: 'DELETE /api/openvpn/config/pnlzo' },
  ),
  flow(
    'gives an OpenVPN client its file',
    { send: 'POST /api/openvpn/config', data: { id: 'pnfile', enable: '0' }, save: { id: 'data.id' } },
    { send: 'POST /api/openvpn/config/{id}', file: 'text', fields: { option: 'config' }, has: { 'data.path': 'text' } },
    { send: 'DELETE /api/openvpn/config/{id}' },
  ),
]; // prettier-ignore

export const ponika: PublicClient = {
  name: 'ponika',
  login: 'top',
  accepts: 'body',
  flows: [
    flow('logs in', { send: 'POST /api/login', open: true, json: { username: '{username}', password: '{password}' }, has: LOGIN }),
    ...reads,
    ...records,
    ...fixedSections,
    ...fixedLists,
    ...PONIKA_SECTIONS.flatMap(sectionFlows),
    ...actions,
    flow('is told that its account needs no first password', {
      send: 'POST /api/system/actions/change_password_firstlogin',
      data: { password: 'Abcdefg1!', password_confirm: 'Abcdefg1!' },
      status: 400,
    }),
    flow('ends its session', { send: 'POST /api/logout' }),
    flow('restarts the device', { send: 'POST /api/system/actions/reboot' }),
  ],
}; // prettier-ignore
