import { act, flow, read, type PublicClient } from '../flow.js';

/* ha-rutos-integration: another integration of Home Assistant, with data limits and the order of uplinks. */

export const haRutos: PublicClient = {
  name: 'ha-rutos-integration',
  login: 'top',
  accepts: 'body',
  renews: true,
  flows: [
    read('/system/device/status', { 'data.mnfinfo.serial': 'text', 'data.mnfinfo.mac': 'text', 'data.static.fw_version': 'text', 'data.static.device_name': 'text' }),
    read('/interfaces/status', { 'data[].id': 'text', 'data[].area_type': 'text', 'data[].is_up': 'bool', 'data[].ipv4-address': 'list', 'data[].uptime': 'number', 'data[].metric': 'number', 'data[].l3_device': 'text' }),
    read('/internet_connection/status', { 'data.ipv4_status': 'text' }),
    read('/data_limit/status', { 'data[].id': 'text', 'data[].interface': 'text', 'data[].data_limit': 'number', 'data[].data_used': 'number|text', 'data[].due_reset_time': 'any' }),
    act('/data_limit/actions/clear'),
    read('/modems/signal/status', { 'data[].modem': 'text' }),
    read('/modems/status', { 'data[].id': 'text', 'data[].operator_state': 'text' }),
    flow('restarts a modem', { send: 'POST /api/modems/2-1/actions/reboot' }),
    read('/failover/members/config', { 'data[].id': 'text', 'data[].interface': 'text', 'data[].metric': 'text' }),
    flow(
      'prefers the mobile connection to the cable',
      { send: 'PUT /api/failover/members/config', data: [{ id: 'mob1s1a1_member_mwan', metric: '1' }, { id: 'wan_member_mwan', metric: '2' }] },
      { send: 'GET /api/failover/members/config/wan_member_mwan', has: { 'data.metric': '="2"' } },
    ),
    flow('switches an interface off and on', { send: 'PUT /api/interfaces/config/wan', data: { enabled: '0' } }, { send: 'PUT /api/interfaces/config/wan', data: { enabled: '1' } }),
    read('/gps/position/status', { 'data.latitude': 'text', 'data.longitude': 'text', 'data.fix_status': 'text' }),
  ],
}; // prettier-ignore
