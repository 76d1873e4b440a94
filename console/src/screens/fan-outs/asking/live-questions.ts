/* What a device can be asked about its state, as people say it. Plain data. */

export interface LiveQuestion {
  readonly title: string;
  readonly path: string;
  /** Other words that people search for. */
  readonly words: string;
}

const question = (title: string, path: string, words = ''): LiveQuestion => ({
  title,
  path: `/api/${path}/status`,
  words,
});

/** Those that are asked most come first. */
export const LIVE_QUESTIONS: readonly LiveQuestion[] = [
  question('Signal and operator', 'modems', 'modem mobile cellular lte 5g rsrp sim imei network band'),
  question('Firmware version', 'firmware/device', 'software release'),
  question('Uptime, load and memory', 'system/device/usage', 'cpu ram flash storage restart'),
  question('Model and serial number', 'system/device', 'system status hardware mac host name kernel'),
  question('Interfaces and addresses', 'interfaces', 'network ip wan lan vlan'),
  question('DHCP leases', 'dhcp/leases/ipv4', 'clients addresses lan'),
  question('Internet connection', 'internet_connection', 'online dns reachable'),
  question('Uplink in use', 'failover', 'failover wan backup load balancing'),
  question('Mobile data used today', 'data_usage/day', 'traffic usage'),
  question('Mobile data used this month', 'data_usage/month', 'traffic usage'),
  question('Mobile data limits', 'data_limit', 'traffic usage quota'),
  question('SIM cards', 'sim_cards', 'iccid slot'),
  question('Wi-Fi networks and clients', 'wireless/interfaces', 'wireless wlan ssid stations'),
  question('Wi-Fi radios', 'wireless/devices', 'wireless wlan channel'),
  question('Position', 'gps/position', 'gps gnss latitude longitude location'),
  question('OpenVPN connections', 'openvpn', 'vpn tunnel'),
  question('Tailscale connection', 'tailscale', 'vpn tunnel'),
  question('Neighbours', 'ip_neighbors/ipv4', 'arp mac addresses clients'),
  question('Neighbours (IPv6)', 'ip_neighbors/ipv6', 'ndp mac addresses clients'),
  question('Routes', 'ip_routes/ipv4', 'routing gateway'),
  question('Routes (IPv6)', 'ip_routes/ipv6', 'routing gateway'),
  question('Connections through the firewall', 'firewall/connections', 'conntrack nat sessions'),
  question('DHCP leases (IPv6)', 'dhcp/leases/ipv6', 'clients addresses lan'),
  question('Running DHCP servers', 'dhcp/servers/ipv4', 'lan'),
  question('Network devices', 'network/devices', 'ethernet ports mac'),
  question('Available firmware updates', 'firmware/device/updates', 'software release new'),
  question('Modem firmware', 'firmware/modem', 'software release mobile'),
  question('Access points of the modems', 'modems/apns', 'apn mobile'),
  question('Load in the last hour', 'system/device/load', 'cpu history'),
  question('Signal in the last hour', 'modems/signal', 'rsrp history mobile'),
  question('Text messages', 'messages', 'sms inbox'),
  question('Storage of text messages', 'messages/storage', 'sms sim'),
  question('Backup on the device', 'backup', 'archive digest'),
  question('Installed packages', 'system/device/packages', 'software apps'),
];

const BY_PATH = new Map(LIVE_QUESTIONS.map(({ path, title }) => [path, title]));

/** The title of a read; null: none has this path. */
export const liveTitle = (path: string): string | null => BY_PATH.get(path) ?? null;
