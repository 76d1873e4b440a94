import { act, flow, read, type Fields, type PublicClient } from '../flow.js';
import { INTERFACE_STATUS, LOGIN, MESSAGES, POSITION, SMS, UNAUTHORIZED, USAGE, WHOLE_MODEM } from './shared.js';

/* teltasync, the engine of Home Assistant's integration, and what the integration reads and does with it. */

const types = (path: string, type: string, names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [`${path}.${name}`, type]));

/** It refuses to start without any of these. */
const DEVICE: Fields = {
  ...types('data.mnfinfo', 'text', 'serial mac macEth name hwver batch'),
  ...types('data.static', 'text', 'fw_version kernel system device_name hostname fw_build_date model board_name'),
  ...types('data.static.release', 'text', 'distribution revision version target description'),
  'data.features.ipv6': 'bool',
  'data.board.network_options.max_mtu': 'number',
  'data.board.network_options.vlans': 'number',
  'data.board.hwinfo.esim': 'bool',
  'data.board.model.id': 'text',
  'data.board.model.name': 'text',
  'data.board.model.platform': 'text',
  ...types('data.board.modems[]', 'text', 'id num revision product vendor gps stop_bits boudrate type desc control'),
  ...types('data.board.modems[]', 'bool', 'builtin multi_apn operator_scan dhcp_filter dynamic_mtu ipv6 volte csd'),
  ...types('data.board.modems[]', 'number', 'simcount modem_func_id'),
  'data.board.modems[].band_list': 'list',
};

const wholeMonth = 'from=1761955200&to=1764547199';

export const teltasync: PublicClient = {
  name: 'teltasync and Home Assistant',
  login: 'top',
  accepts: 'body',
  flows: [
    flow('recognises the device without a token', {
      send: 'GET /api/unauthorized/status',
      open: true,
      has: UNAUTHORIZED,
    }),
    flow('is told that it has no token', { send: 'GET /api/modems/status', open: true, status: 401, code: 121 }),
    read('/session/status', { 'data.active': 'bool' }),
    read('/system/device/status', DEVICE),
    read('/modems/status', WHOLE_MODEM),
    read('/system/device/usage/status', USAGE),
    read(`/data_usage/custom/status?${wholeMonth}`, { 'data[]': 'usage' }),
    read('/messages/status', MESSAGES),
    act('/messages/actions/send', SMS, { 'data.sms_used': 'number' }),
    read('/gps/position/status', POSITION),
    read('/interfaces/status', INTERFACE_STATUS),
    read('/failover/status', { data: 'object' }),
    read('/sim_cards/config', {
      'data[].id': 'text',
      'data[].modem': 'text',
      'data[].position': 'text',
      'data[].primary': 'flag',
    }),
    flow(
      'makes another SIM card the primary one, and waits until it is active',
      { send: 'GET /api/sim_cards/config', save: { sim: 'data.1.id', modem: 'data.1.modem' } },
      { send: 'PUT /api/sim_cards/config/{sim}', data: { primary: '1' } },
      { send: 'POST /api/modems/{modem}/actions/restart_connection' },
      { send: 'GET /api/modems/status', has: { 'data[].active_sim': '=2', 'data[].mobile_stage': '=19' }, polls: true },
    ),
    act('/modems/2-1/actions/switch_sim'),
    read('/esim/config?modem=2-1', { data: 'list' }),
    flow('restarts a modem', { send: 'POST /api/modems/2-1/actions/reboot' }),
    flow('restarts the connection of a modem', { send: 'POST /api/modems/2-1/actions/restart_connection' }),
    flow('is told that a modem does not exist', {
      send: 'POST /api/modems/9-9/actions/reboot',
      status: 404,
    }),
    flow(
      'reads all that its screens show',
      { send: 'GET /api/system/device/status' },
      { send: 'GET /api/modems/status' },
      { send: 'GET /api/interfaces/status' },
    ),
    flow('reads with an API version in the path', { send: 'GET /api/v1/modems/status', has: { data: 'list' } }),
    flow(
      'ends its session and logs in again',
      { send: 'POST /api/logout' },
      { send: 'POST /api/login', open: true, json: { username: '{username}', password: '{password}' }, has: LOGIN },
    ),
    flow('is told that the password is wrong', {
      send: 'POST /api/login',
      open: true,
      json: { username: 'admin', password: 'Wrong-1!' },
      status: 401,
      code: 120,
    }),
    flow('is told that an endpoint does not exist', { send: 'GET /api/no_such/status', status: 404, code: 122 }),
    flow('restarts the device', { send: 'POST /api/system/actions/reboot' }),
  ],
};
