import { flow, type PublicClient } from '../flow.js';
import { MODEM, USAGE, WIRELESS_STATUS } from './shared.js';

/* teltonika-exporter (Go): five reads for each scrape, after it asked whether its session lives. It drops an answer with a wrong type. */

export const exporter: PublicClient = {
  name: 'teltonika-exporter',
  login: 'top',
  accepts: '200',
  renews: true,
  flows: ['first', 'second'].map((scrape) =>
    flow(
      `serves its ${scrape} scrape`,
      { send: 'GET /api/session/status', has: { 'data.active': 'bool' } },
      { send: 'GET /api/system/device/usage/status', has: USAGE },
      { send: 'GET /api/modems/status', has: MODEM },
      { send: 'GET /api/wireless/interfaces/status', has: WIRELESS_STATUS },
      { send: 'GET /api/dhcp/leases/ipv4/status', has: { 'data[].macaddr': 'text', 'data[].expires': 'number' } },
      { send: 'GET /api/dhcp/leases/ipv6/status', has: { 'data[].duid': 'text', 'data[].ipv6addr': 'list' } },
    ),
  ),
};
