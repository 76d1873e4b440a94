/* What a device can be asked about its state, as people say it. Plain data. */

export interface LiveQuestion {
  readonly title: string;
  readonly path: string;
  /** Other words that people search for. */
  readonly words: string;
  /** The fields of the answer that say it, by the ends of their names; `*.` takes those of each entry of a list. */
  readonly shows: readonly string[];
}

const question = (title: string, path: string, words = '', ...shows: readonly string[]): LiveQuestion => ({
  title,
  path: `/api/${path}/status`,
  words,
  shows,
});

/** Those that are asked most come first. */
export const LIVE_QUESTIONS: readonly LiveQuestion[] = [
  question(
    'Signal and operator',
    'modems',
    'modem mobile cellular lte 5g rsrp sim imei network band',
    'oper',
    'rsrp',
    'sinr',
    'band',
    'active_sim',
    'simstate',
  ),
  question('Firmware version', 'firmware/device', 'software release', 'version', 'build_date', 'kernel_version'),
  question(
    'Uptime, load and memory',
    'system/device/usage',
    'cpu ram flash storage restart',
    'uptime_seconds',
    'min1',
    'ram_percentage',
    'flash_percentage',
  ),
  question(
    'Model and serial number',
    'system/device',
    'system status hardware mac host name kernel',
    'model',
    'serial',
    'hostname',
    'fw_version',
  ),
  question('Interfaces and addresses', 'interfaces', 'network ip wan lan vlan', '*.ipaddrs'),
  question('DHCP leases', 'dhcp/leases/ipv4', 'clients addresses lan', '*.hostname'),
  question(
    'Internet connection',
    'internet_connection',
    'online dns reachable',
    'ipv4_status',
    'ipv6_status',
    'dns_status',
  ),
  question('Uplink in use', 'failover', 'failover wan backup load balancing', '*.status'),
  question('Mobile data used today', 'data_usage/day', 'traffic usage'),
  question('Mobile data used this month', 'data_usage/month', 'traffic usage'),
  question('Mobile data limits', 'data_limit', 'traffic usage quota', '*.data_used', '*.data_limit'),
  question('SIM cards', 'sim_cards', 'iccid slot', '*.position', '*.primary'),
  question(
    'Wi-Fi networks and clients',
    'wireless/interfaces',
    'wireless wlan ssid stations',
    '*.ssid',
    '*.num_assoc',
    '*.channel',
  ),
  question('Wi-Fi radios', 'wireless/devices', 'wireless wlan channel', '*.band', '*.up'),
  question(
    'Position',
    'gps/position',
    'gps gnss latitude longitude location',
    'latitude',
    'longitude',
    'satellites',
    'fix_status',
  ),
  question('OpenVPN connections', 'openvpn', 'vpn tunnel'),
  question('Tailscale connection', 'tailscale', 'vpn tunnel', 'status', 'url'),
  question('Neighbours', 'ip_neighbors/ipv4', 'arp mac addresses clients'),
  question('Neighbours (IPv6)', 'ip_neighbors/ipv6', 'ndp mac addresses clients'),
  question('Routes', 'ip_routes/ipv4', 'routing gateway', '*.gateway'),
  question('Routes (IPv6)', 'ip_routes/ipv6', 'routing gateway'),
  question('Connections through the firewall', 'firewall/connections', 'conntrack nat sessions'),
  question('DHCP leases (IPv6)', 'dhcp/leases/ipv6', 'clients addresses lan'),
  question('Running DHCP servers', 'dhcp/servers/ipv4', 'lan', '*.running'),
  question('Network devices', 'network/devices', 'ethernet ports mac', '*.up'),
  question(
    'Available firmware updates',
    'firmware/device/updates',
    'software release new',
    'stable_version',
    'version',
  ),
  question('Modem firmware', 'firmware/modem', 'software release mobile', '*.version'),
  question('Access points of the modems', 'modems/apns', 'apn mobile', '*.apn'),
  question('Load in the last hour', 'system/device/load', 'cpu history'),
  question('Signal in the last hour', 'modems/signal', 'rsrp history mobile'),
  question('Text messages', 'messages', 'sms inbox'),
  question('Storage of text messages', 'messages/storage', 'sms sim', '*.sim_inserted'),
  question('Backup on the device', 'backup', 'archive digest', 'backup_exists'),
  question('Installed packages', 'system/device/packages', 'software apps'),
];

const BY_PATH = new Map(LIVE_QUESTIONS.map((one) => [one.path, one]));

/** The title of a read; null: none has this path. */
export const liveTitle = (path: string): string | null => BY_PATH.get(path)?.title ?? null;

/** The fields that answer a read; of another call none is known. */
export const liveShows = (path: string): readonly string[] => BY_PATH.get(path)?.shows ?? [];
