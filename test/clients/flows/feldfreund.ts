import { flow, read, type PublicClient } from '../flow.js';
import { MODEM, WIRELESS_STATUS } from './shared.js';

/* feldfreund_devkit: a robot with a router (RUT901) that watches its uplinks and chooses Wi-Fi networks. */

const network = { ssid: 'Farm', key: 'Correct-Horse-9', enabled: '1', priority: '1' };

export const feldfreund: PublicClient = {
  name: 'feldfreund_devkit',
  login: 'top',
  accepts: '2xx',
  headers: { 'content-type': 'application/json' },
  flows: [
    read('/system/device/status', {
      'data.static.fw_version': 'text',
      'data.static.device_name': 'text',
      'data.mnfinfo.serial': 'text',
    }),
    read('/failover/status', { data: 'object' }),
    read('/modems/status', { ...MODEM, 'data[].signal': 'number', 'data[].operator': 'text' }),
    read('/wireless/interfaces/status', WIRELESS_STATUS),
    flow('reads the networks that it may join', {
      send: 'GET /api/wireless/multi_ap/config',
      has: { data: 'list|object' },
    }),
    flow('adds a network', { send: 'POST /api/wireless/multi_ap/config', data: network, has: { 'data.id': 'text' } }),
    flow(
      'changes a network',
      { send: 'POST /api/wireless/multi_ap/config', data: network, save: { id: 'data.id' } },
      { send: 'PUT /api/wireless/multi_ap/config/{id}', data: { priority: '2' } },
    ),
    flow(
      'removes a network',
      { send: 'POST /api/wireless/multi_ap/config', data: network, save: { id: 'data.id' } },
      { send: 'DELETE /api/wireless/multi_ap/config/{id}', json: {} },
    ),
    flow('reads all that it watches', { send: 'GET /api/modems/status' }, { send: 'GET /api/failover/status' }),
    flow('reads with a content type and no body', { send: 'GET /api/system/device/status' }),
    flow('is told that its token is dead', {
      send: 'GET /api/system/device/status',
      open: true,
      headers: { authorization: 'Bearer 00000000000000000000000000000000' },
      status: 401,
    }),
    flow('is told that a network does not exist', {
      send: 'DELETE /api/wireless/multi_ap/config/no_such_id',
      json: {},
      status: 404,
    }),
    flow('restarts the device', { send: 'POST /api/system/actions/reboot' }),
  ],
};
