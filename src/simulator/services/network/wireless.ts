/* Wireless networks and radios as they run. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { ok } from '../../device/exchange.js';
import { curveAt, STREAMS } from '../../device/live/noise.js';
import type { Random } from '../../device/random.js';
import { onGet, type Route } from '../../http/route.js';
import { macOf } from '../system/board.js';
import { sectionsOf, textOf } from './uplinks.js';

/** What differs between the radios of 2.4 and of 5 GHz. */
export const RADIOS = {
  radio0: {
    band: '2.4GHz',
    channel: 6,
    freq: 2437,
    frequency: '2.437',
    bitrate: 144_400_000,
    op_class: 81,
    standard: '802.11bgnax',
  },
  radio1: {
    band: '5GHz',
    channel: 36,
    freq: 5180,
    frequency: '5.180',
    bitrate: 866_700_000,
    op_class: 115,
    standard: '802.11acnax',
  },
} as const;
export type RadioName = keyof typeof RADIOS;

export const radioIn = (name: unknown): RadioName => (name === 'radio1' ? 'radio1' : 'radio0');

/** What a network measures on its radio now. */
function measuresOf(device: SimulatedDevice, radio: RadioName) {
  const { seed, at } = device.moment;
  const signal = Math.round(-58 + 6 * curveAt(seed, STREAMS.quality, at, 300));
  const { channel, freq, bitrate, op_class } = RADIOS[radio];
  return { channel, freq, bitrate, noise: -95, signal, quality: Math.min(70, signal + 110), op_class };
}

/** How busy a radio is, and what it does on channels that it shares with radars. */
function useOf({ moment }: SimulatedDevice) {
  const utilization = Math.round(45 + 44 * curveAt(moment.seed, STREAMS.neighbours, moment.at, 600));
  const time = 9_000_000;
  return {
    airtime: { time, time_busy: Math.round((time * utilization) / 100), utilization },
    dfs: { cac_active: false, cac_time: 0, cac_time_left: 0 },
    rrm: { neighbor_report_tx: 0 },
    wnm: { bss_transition_query_rx: 0, bss_transition_request_tx: 0, bss_transition_response_rx: 0 },
  };
}

export const macFrom = (chance: Random): string =>
  Array.from([2, ...chance.bytes(5)], (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');

interface Station {
  readonly client: object;
  readonly entry: readonly [mac: string, facts: object];
}

function stationOf(device: SimulatedDevice, radio: RadioName, index: number, chance: Random): Station {
  const macaddr = macFrom(chance);
  const level = -chance.integer(40, 80);
  const rates = { tx_rate: 72_200_000, rx_rate: 65_000_000 };
  const facts = { device: radio, signal: level, noise: -95, ...rates, inactive: 120 };
  const indexes = { tx_mcs: 7, tx_nss: 1, tx_mhz: 20, rx_mhz: 20 };
  const packets = Math.floor(device.uptimeSeconds * (1 + index)) % 1_000_000;
  const client = {
    macaddr,
    device: radio,
    band: RADIOS[radio].band,
    signal: `${level} dBm`,
    standard: 'Wi-Fi 4',
    ...rates,
    ipaddr: `192.168.1.${151 + index}`,
    hostname: `phone-${index + 1}`,
    interface: 'lan',
    expires: chance.integer(600, 43_200),
  };
  return {
    client,
    entry: [macaddr, { ...facts, ...indexes, rx_packets: packets, tx_packets: packets, authorized: true }],
  };
}

function stationsOf(
  device: SimulatedDevice,
  section: Section,
  radio: RadioName,
): { clients: object[]; assoclist: object } {
  const chance = device.random.fork(`wifi-${section.id}`);
  const stations = Array.from({ length: chance.integer(0, 5) }, (_, index) => stationOf(device, radio, index, chance));
  // A device answers a list where the map would be empty.
  const assoclist = stations.length > 0 ? Object.fromEntries(stations.map(({ entry }) => entry)) : [];
  return { clients: stations.map(({ client }) => client), assoclist };
}

function networkOf(device: SimulatedDevice, section: Section, index: number): object {
  const isUp = section.enabled !== '0';
  const names = (Array.isArray(section.device) ? section.device : [section.device]).map(radioIn);
  const [radio = 'radio0'] = names;
  const found = isUp ? stationsOf(device, section, radio) : { clients: [], assoclist: [] };
  const ifnames = names.map((name) => `wlan${name.at(-1)}${index > 1 ? `-${index - 1}` : ''}`);
  const radios = names.map((name) => ({ device: name, name, up: isUp, pending: false }));
  const isOne = names.length === 1;
  const bssid = macOf(device, 2 + index, ':');
  const mode = textOf(section.mode, 'ap');
  const use = useOf(device);
  return {
    id: section.id,
    wifi_id: `wifi${index}`,
    name: ifnames[0],
    ssid: section.ssid,
    mode,
    encryption: 'WPA2 PSK (CCMP)',
    link: `wireless/interfaces/${section.id}`,
    status: isUp ? '1' : '0',
    up: isUp,
    // A network on two radios has lists.
    ifname: isOne ? ifnames[0] : ifnames,
    band: isOne ? RADIOS[radio].band : names.map((name) => RADIOS[name].band),
    device: isOne ? radios[0] : radios,
    ...measuresOf(device, radio),
    txpower: 20,
    txpoweroff: 0,
    num_assoc: found.clients.length,
    beacon_interval: 100,
    bss_color: 0,
    frequency: RADIOS[radio].frequency,
    ...use,
    ...(isUp ? { bssid, phy: `phy${radio.at(-1)}`, country: 'LT', disabled: false } : {}),
    devices: names.map((name, at) => ({
      ifname: ifnames[at],
      name,
      up: isUp,
      bssid,
      ...measuresOf(device, name),
      ...use,
    })),
    ...(mode === 'sta' ? { wpa_state: isUp ? 'COMPLETED' : 'SCANNING' } : {}),
    ...found,
  };
}

function radioStatusOf(device: SimulatedDevice, { id, country, enabled }: Section): object {
  const radio = radioIn(id);
  return {
    id,
    name: id,
    hardware_name: 'Generic MAC80211',
    phyname: `phy${radio.at(-1)}`,
    mode: 'Master',
    type: 'mac80211',
    country: textOf(country, 'LT'),
    standard: RADIOS[radio].standard,
    band: RADIOS[radio].band,
    macaddr: macOf(device, radio === 'radio0' ? 2 : 3, ':'),
    quality_max: 70,
    noise: -95,
    txpower_offset: 0,
    up: enabled !== '0',
    disabled: enabled === '0',
    pending: false,
    autostart: true,
    hardware_id: { device_id: 0, vendor_id: 0, subsystem_device_id: 0, subsystem_vendor_id: 0 },
  };
}

export const WIRELESS_ROUTES: readonly Route[] = [
  onGet(
    '/api/wireless/devices/status',
    'State of the radios',
    (device) => ok(sectionsOf(device, 'wireless/devices').map((section) => radioStatusOf(device, section))),
    { needs: 'wifi' },
  ),
  onGet(
    '/api/wireless/interfaces/status',
    'State of the wireless networks',
    (device) =>
      ok(sectionsOf(device, 'wireless/interfaces').map((section, index) => networkOf(device, section, index))),
    { needs: 'wifi' },
  ),
];
