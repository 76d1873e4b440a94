/* Network interfaces, leased addresses and wireless networks, as a device reports them. */
import type { Section } from '../device/configuration.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, type SimulatedAnswer } from '../device/exchange.js';
import type { Random } from '../device/random.js';
import { onGet, type Route } from '../http/route.js';

const colons = (bytes: Iterable<number>): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');

function leases(device: SimulatedDevice): SimulatedAnswer {
  const chance = device.random.fork('leases');
  return ok(
    Array.from({ length: chance.integer(1, 4) }, (_, index) => ({
      hostname: `client-${index + 1}`,
      macaddr: colons([2, ...chance.bytes(5)]),
      ipaddr: `192.168.1.${101 + index}`,
      expires: chance.integer(600, 43_200),
      interface: 'lan',
    })),
  );
}

const sections = (device: SimulatedDevice, path: string): readonly Section[] => {
  const declaration = device.declarations.get(path);
  return declaration ? device.configuration.list({ declaration, key: path }) : [];
};

/** What a configuration says in text, or what a device has without it. */
const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);

function linkOf(device: SimulatedDevice, { id, proto, ipaddr }: Section) {
  if (proto === 'wwan') return { ifname: 'wwan0', type: 'wwan', network: 'mobile', address: '100.64.10.2', mask: 30 };
  if (id === 'lan') {
    return { ifname: 'br-lan', type: 'bridge', network: 'wired', address: textOf(ipaddr, '192.168.1.1'), mask: 24 };
  }
  const address = typeof ipaddr === 'string' ? ipaddr : null;
  return {
    ifname: device.family.ethernetPorts > 1 ? 'eth1' : 'eth0',
    type: 'wired',
    network: 'wired',
    address,
    mask: 24,
  };
}

function countersOf(device: SimulatedDevice, isUp: boolean, perSecond: number) {
  const seconds = isUp ? device.uptimeSeconds : 0;
  return {
    rx_bytes: seconds * perSecond * 4,
    tx_bytes: seconds * perSecond,
    rx_packets: Math.floor((seconds * perSecond) / 200),
    tx_packets: Math.floor((seconds * perSecond) / 600),
  };
}

function interfaceOf(device: SimulatedDevice, section: Section): object {
  const link = linkOf(device, section);
  const { ifname, type } = link;
  const isUp = link.address !== null;
  const isWan = section.area_type === 'wan';
  const counters = countersOf(device, isUp, 311);
  const mac = device.mac;
  return {
    id: section.id,
    name: section.id,
    interface: section.id,
    ifname,
    device: ifname,
    l3_device: ifname,
    proto: section.proto,
    type,
    typename: type,
    desc: `${section.id} (${ifname})`,
    macaddr: mac,
    network_type: link.network,
    area_type: isWan ? 'wan' : 'lan',
    metric: Number(section.metric ?? 0),
    uptime: isUp ? device.uptimeSeconds : 0,
    ...counters,
    up: isUp,
    is_up: isUp,
    autostart: true,
    available: true,
    pending: false,
    dynamic: false,
    is_dynamic: false,
    delegation: true,
    ipaddrs: isUp ? [`${link.address}/${link.mask}`] : [],
    ip6addrs: [],
    'dns-server': isUp && isWan ? ['192.0.2.53', '192.0.2.54'] : [],
    'dns-search': [],
    dnsaddrs: isUp && isWan ? ['192.0.2.53', '192.0.2.54'] : [],
    'ipv4-address': isUp ? [{ address: link.address, mask: link.mask }] : [],
    'ipv6-address': [],
    route: isUp && isWan ? [{ target: '0.0.0.0', mask: 0 }] : [],
    subdevices: [{ name: ifname, ifname, type, typename: type, macaddr: mac, is_up: isUp, ...counters }],
  };
}

const interfaces = (device: SimulatedDevice): SimulatedAnswer =>
  ok(sections(device, 'interfaces').map((section) => interfaceOf(device, section)));

const RADIO = { channel: 6, freq: 2437, bitrate: 144_400_000, noise: -95, signal: -58, quality: 52, op_class: 81 };

/** How busy a radio is, and what it does on channels that it shares with radars. */
const radioUse = (chance: Random) => ({
  airtime: { time: chance.integer(1e6, 9e6), time_busy: chance.integer(1e4, 9e5), utilization: chance.integer(1, 90) },
  dfs: { cac_active: false, cac_time: 0, cac_time_left: 0 },
  rrm: { neighbor_report_tx: 0 },
  wnm: { bss_transition_query_rx: 0, bss_transition_request_tx: 0, bss_transition_response_rx: 0 },
});

function clientsOf(chance: Random): { clients: object[]; assoclist: object } {
  const clients = Array.from({ length: chance.integer(0, 5) }, (_, index) => ({
    macaddr: colons([2, ...chance.bytes(5)]),
    device: 'radio0',
    band: '2.4GHz',
    signal: `-${chance.integer(40, 80)} dBm`,
    standard: 'Wi-Fi 4',
    tx_rate: 72_200_000,
    rx_rate: 65_000_000,
    ipaddr: `192.168.1.${151 + index}`,
    hostname: `phone-${index + 1}`,
    interface: 'lan',
    expires: chance.integer(600, 43_200),
  }));
  const known = clients.map(({ macaddr, tx_rate, rx_rate, signal }) => [
    macaddr,
    { device: 'radio0', signal: Number.parseInt(signal, 10), noise: -95, tx_rate, rx_rate, inactive: 120 },
  ]);
  // A device answers a list where the map would be empty.
  return { clients, assoclist: known.length > 0 ? Object.fromEntries(known) : [] };
}

function networkOf(device: SimulatedDevice, section: Section, index: number): object {
  const chance = device.random.fork(`wifi-${section.id}`);
  const isUp = section.enabled !== '0';
  const found = isUp ? clientsOf(chance) : { clients: [], assoclist: [] };
  const ifname = `wlan0${index > 0 ? `-${index}` : ''}`;
  return {
    id: section.id,
    wifi_id: `wifi${index}`,
    name: ifname,
    ssid: section.ssid,
    mode: textOf(section.mode, 'ap'),
    encryption: 'WPA2 PSK (CCMP)',
    link: `wireless/interfaces/${section.id}`,
    status: isUp ? '1' : '0',
    up: isUp,
    ifname,
    band: '2.4GHz',
    device: { device: 'radio0', name: 'radio0', up: isUp, pending: false },
    ...RADIO,
    txpower: 20,
    txpoweroff: 0,
    num_assoc: found.clients.length,
    beacon_interval: 100,
    bss_color: 0,
    frequency: '2.437',
    ...radioUse(chance),
    ...(isUp ? { bssid: device.mac, phy: 'phy0', country: 'LT', disabled: false } : {}),
    devices: [{ ifname, name: 'radio0', up: isUp, bssid: device.mac, ...RADIO, ...radioUse(chance) }],
    ...found,
  };
}

const radioOf = (device: SimulatedDevice, { id, country }: Section): object => ({
  id,
  name: id,
  hardware_name: 'Generic MAC80211',
  phyname: 'phy0',
  mode: 'Master',
  type: 'mac80211',
  country: textOf(country, 'LT'),
  standard: '802.11bgnax',
  band: '2.4GHz',
  macaddr: device.mac,
  quality_max: 70,
  noise: RADIO.noise,
  txpower_offset: 0,
  up: true,
  disabled: false,
  pending: false,
  autostart: true,
  hardware_id: { device_id: 0, vendor_id: 0, subsystem_device_id: 0, subsystem_vendor_id: 0 },
});

export const NETWORK_ROUTES: readonly Route[] = [
  onGet('/api/dhcp/leases/ipv4/status', 'Addresses that are leased', leases),
  onGet('/api/interfaces/status', 'State of the network interfaces', interfaces),
  onGet(
    '/api/wireless/devices/status',
    'State of the radios',
    (device) => ok(sections(device, 'wireless/devices').map((section) => radioOf(device, section))),
    { needs: 'wifi' },
  ),
  onGet(
    '/api/wireless/interfaces/status',
    'State of the wireless networks',
    (device) => ok(sections(device, 'wireless/interfaces').map((section, index) => networkOf(device, section, index))),
    { needs: 'wifi' },
  ),
];
