/* Small reads about the system that clients offer as choices: languages, packages, parameters of rules. */
import { ok } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';

const LANGUAGES = [
  { name: 'English', code: 'en', filename: 'en.json.gz' },
  { name: 'Lietuvių', code: 'lt', filename: 'lt.json.gz' },
];

const PACKAGES = [
  '/usr/lib/opkg/info/gps.control',
  '/usr/lib/opkg/info/openvpn.control',
  '/usr/lib/opkg/info/wireguard.control',
];

const parameter = (id: string, type: string, description: string): object => ({ id, type, description });

const PARAMETERS = [
  parameter('serial', 'device', 'Serial number'),
  parameter('device_name', 'device', 'Name of the device'),
  parameter('lan_ip', 'network', 'Address in the LAN'),
  parameter('rssi', 'mobile', 'Strength of the signal'),
  parameter('operator', 'mobile', 'Operator'),
  parameter('event_text', 'event', 'Text of the event'),
  { ...parameter('din1', 'io', 'State of the input'), io_name: 'din1', block_pins: [3] },
];

/** What a rule for text messages can do. */
const SMS_ACTIONS = ['reboot', 'send_status', 'mobile', 'vpn', 'switch_sim', 'gps', 'fw_upgrade', 'api', 'uci', 'exec'];

/** Ports of a test by ping or web request (chosen). */
const TEST_PORTS = ['53', '80', '443'];

export const SETTINGS_ROUTES: readonly Route[] = [
  onGet('/api/system/languages/options', 'Languages', () => ok(LANGUAGES)),
  onGet('/api/system/device/packages/status', 'Installed packages', () => ok(PACKAGES)),
  onGet('/api/system/device/parameters/status', 'What rules can say of the device', () => ok(PARAMETERS)),
  onGet('/api/sms_utilities/rules/options', 'What rules for text messages can do', () =>
    ok({ actions: SMS_ACTIONS, params: PARAMETERS }),
  ),
  onGet('/api/auto_reboot/ping_wget/options', 'What a restart by ping can test', () =>
    ok({ available_ports: TEST_PORTS }),
  ),
];
