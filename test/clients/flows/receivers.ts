import { flow, read, type PublicClient } from '../flow.js';

/* receivers (bgo-gnss): looks after the RUT241 of measuring stations. A forwarded port applies by itself, and the calls that would apply it fail. */

const RULE = {
  enabled: '1',
  proto: ['tcp'],
  src: 'wan',
  src_dport: '28784',
  dest: 'lan',
  dest_ip: '192.168.1.60',
  dest_port: '28784',
  name: 'station',
};

export const receivers: PublicClient = {
  name: 'receivers',
  login: 'top',
  accepts: 'body',
  renews: true,
  flows: [
    read('/modems/status', { 'data[].rssi': 'number', 'data[].rsrp': 'number', 'data[].operator': 'text', 'data[].conntype': 'text', 'data[].temperature': 'whole' }),
    read('/interfaces/status', { 'data[].id': 'text', 'data[].route': 'list', 'data[].ipaddrs': 'list' }),
    read('/system/device/usage/status', { 'data.uptime_seconds': 'number', 'data.loadavg': 'number' }),
    flow(
      'forwards a port, finds that nothing applies it, and reads it',
      { send: 'POST /api/firewall/port_forwards/config', data: RULE, save: { id: 'data.id' } },
      { send: 'POST /api/firewall/port_forwards/changes', status: 501 },
      { send: 'POST /api/firewall/changes', status: 403 },
      { send: 'GET /api/firewall/port_forwards/config', has: { 'data[].dest': 'text', 'data[].proto': 'list' } },
      { send: 'DELETE /api/firewall/port_forwards/config/{id}' },
    ),
    flow('sends a message', { send: 'POST /api/messages/actions/send', data: { number: '+37060000001', message: 'status', modem: '2-1' }, has: { 'data.sms_used': 'number' } }),
  ],
}; // prettier-ignore
