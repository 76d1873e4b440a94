import { PATHS } from '../../device-api/contract.js';
import { type WatchInput } from './watches.contract.js';

/*
 * The watches of the first start, disabled: a person looks at their price first. They are changed and removed like others; a
 * removed one does not come back.
 */

const DAILY = { selector: 'all', everySeconds: 86_400, enabled: false };

export const SHIPPED_WATCHES: readonly WatchInput[] = [
  { ...DAILY, name: 'accounts', paths: [PATHS.users, PATHS.groups] },
  { ...DAILY, name: 'certificates', paths: [PATHS.certificates, PATHS.uploadRootCa] },
  {
    ...DAILY,
    name: 'access',
    paths: [
      '/api/access_control/cli/config',
      '/api/access_control/ssh/config',
      '/api/access_control/telnet/config',
      '/api/access_control/webui/config',
      '/api/firewall/nat_rules/config',
      '/api/firewall/port_forwards/config',
      '/api/firewall/traffic_rules/config',
      '/api/firewall/zones/config',
    ],
  },
];
