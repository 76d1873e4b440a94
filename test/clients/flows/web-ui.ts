import { flow, read, type PublicClient } from '../flow.js';
import { INTERFACE_STATUS, MODEM, WIRELESS_STATUS } from './shared.js';

/* web-ui-rutx11: a dashboard in a browser. Each request has a content type of JSON. */

const section = {
  mode: 'sta',
  ssid: 'Campsite',
  encryption: 'psk2',
  key: 'Correct-Horse-9',
  device: 'radio0',
  network: 'wan',
};

export const webUi: PublicClient = {
  name: 'web-ui-rutx11',
  login: 'top',
  accepts: 'body',
  renews: true,
  headers: { 'content-type': 'application/json' },
  flows: [
    read('/modems/status', { ...MODEM, 'data[].operator': 'text' }),
    read('/interfaces/status', INTERFACE_STATUS),
    read('/wireless/interfaces/status', WIRELESS_STATUS),
    read('/interfaces/config', { 'data[].id': 'text', 'data[].proto': 'text' }),
    read('/wireless/interfaces/config', { 'data[].id': 'text', 'data[].mode': 'text' }),
    flow('adds a network of a campsite', { send: 'POST /api/wireless/interfaces/config', data: section, has: { 'data.id': 'text' } }),
    flow('changes its key', { send: 'POST /api/wireless/interfaces/config', data: section, save: { id: 'data.id' } }, { send: 'PUT /api/wireless/interfaces/config/{id}', data: { key: 'Correct-Horse-8' } }),
    flow('removes it', { send: 'POST /api/wireless/interfaces/config', data: section, save: { id: 'data.id' } }, { send: 'DELETE /api/wireless/interfaces/config/{id}' }),
    flow('looks for networks', {
      send: 'POST /api/wireless/actions/scan',
      data: { device: 'radio0' },
      has: { 'data[].ssid': 'text', 'data[].bssid': 'text', 'data[].signal': 'number', 'data[].encryption': 'object' },
    }),
    flow('joins a network', {
      send: 'POST /api/wireless/actions/join?use_cache=true',
      data: { device: 'radio0', ssid: 'Campsite', password: 'Correct-Horse-9' },
      has: { 'data.id': 'text' },
    }),
    flow(
      'connects again',
      { send: 'POST /api/wireless/interfaces/config', data: section, save: { id: 'data.id' } },
      { send: 'POST /api/wireless/actions/reconnect', data: { sta_id: '{id}' } },
    ),
    flow(
      'reads its four tiles',
      { send: 'GET /api/modems/status' },
      { send: 'GET /api/interfaces/status' },
      { send: 'GET /api/wireless/interfaces/status' },
      { send: 'GET /api/interfaces/config' },
    ),
    flow('chooses an uplink by its metric', { send: 'PUT /api/interfaces/config/wan', data: { metric: '3' } }),
    flow('switches an interface off and on', { send: 'PUT /api/interfaces/config/wan', data: { enabled: '0' } }, { send: 'PUT /api/interfaces/config/wan', data: { enabled: '1' } }),
    flow('is told that its token is dead', { send: 'GET /api/modems/status', open: true, headers: { authorization: 'Bearer abc' }, status: 401 }),
  ],
}; // prettier-ignore
