/* Small reads about the system that clients offer as choices: languages, packages, parameters of rules. */
import { ok } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';

const LANGUAGES = [
  { value: 'en', text: 'English' },
  { value: 'lt', text: 'Lietuvių' },
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

/** What a rule for text messages can do, and what it can say. */
const SMS_ACTIONS = ['reboot', 'send_status', 'mobile', 'vpn', 'switch_sim', 'gps', 'fw_upgrade', 'api', 'uci', 'exec'];
const SMS_PARAMETERS = ['serial', 'device_name', 'lan_ip', 'rssi', 'operator'];

export const SETTINGS_ROUTES: readonly Route[] = [
  onGet('/api/system/languages/options', 'Languages', () => ok(LANGUAGES)),
  onGet('/api/system/device/packages/status', 'Installed packages', () => ok(PACKAGES)),
  onGet('/api/system/device/parameters/status', 'What rules can say of the device', () => ok(PARAMETERS)),
  onGet('/api/sms_utilities/rules/options', 'What rules for text messages can do', () =>
    ok({ actions: SMS_ACTIONS, params: SMS_PARAMETERS }),
  ),
];
