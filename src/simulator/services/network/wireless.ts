/* Wireless networks and radios as they run. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { curveAt, STREAMS } from '../../device/live/noise.js';
import type { Random } from '../../device/random.js';
import { type Route, alike } from '../../http/route.js';
import { macOf } from '../system/board.js';
import { sectionsOf, serviceOf, textOf, statusOf } from '../sections.js';
import { lanPrefixOf } from './uplinks.js';

/** What differs between the radios of 2.4 and of 5 GHz. */
const RADIOS = {
  radio0: {
    band: '2.4GHz',
    channel: 6,
    bitrate: 144_400_000,
    op_class: 81,
    standard: '802.11bgnax',
  },
  radio1: {
    band: '5GHz',
    channel: 36,
    bitrate: 866_700_000,
    op_class: 115,
    standard: '802.11acnax',
  },
} as const;
export type RadioName = keyof typeof RADIOS;

export const radioIn = (name: unknown): RadioName => (name === 'radio1' ? 'radio1' : 'radio0');

/** The channel that the settings of a radio choose, or the usual one, and the middle of it in MHz. */
export function channelOf(device: SimulatedDevice, radio: RadioName): { channel: number; freq: number } {
  const chosen = Number(radioSection(device, radio)?.channel);
  const channel = chosen > 0 ? chosen : RADIOS[radio].channel;
  return { channel, freq: (radio === 'radio0' ? 2407 : 5000) + 5 * channel };
}

/** Encryption by its settings, as a status names it. */
const ENCRYPTIONS: Readonly<Record<string, string>> = {
  none: 'None',
  psk: 'WPA PSK (TKIP)',
  psk2: 'WPA2 PSK (CCMP)',
  'psk-mixed': 'WPA2 PSK (TKIP, CCMP)',
  sae: 'WPA3 SAE (CCMP)',
  'sae-mixed': 'WPA2 PSK / WPA3 SAE (CCMP)',
  wpa: 'WPA 802.1X (TKIP)',
  wpa2: 'WPA2 802.1X (CCMP)',
  wpa3: 'WPA3 802.1X (CCMP)',
  'wpa3-mixed': 'WPA2 802.1X / WPA3 802.1X (CCMP)',
  owe: 'WPA3 OWE (CCMP)',
};

/** What a network measures on its radio now. */
function measuresOf(device: SimulatedDevice, radio: RadioName) {
  const { seed, at } = device.moment;
  const signal = Math.round(-58 + 6 * curveAt(seed, STREAMS.quality, at, 300));
  const { bitrate, op_class } = RADIOS[radio];
  const { channel } = channelOf(device, radio);
  return { channel, bitrate, noise: -95, signal, quality: Math.min(70, signal + 110), op_class };
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

/** What a lease says of a client. */
interface LeaseHolder {
  readonly macaddr: string;
  readonly ipaddr: string;
  readonly hostname: string;
  readonly expires: number;
}

/** Seconds that a lease of twelve hours still has: clients renew at half time. */
export const leaseLeft = ({ moment }: SimulatedDevice, number: number): number =>
  43_200 - (Math.floor(moment.at + number * 977) % 21_600);

interface Station {
  readonly client: LeaseHolder;
  readonly entry: readonly [mac: string, facts: object];
}

function stationOf(device: SimulatedDevice, radio: RadioName, number: number, chance: Random): Station {
  const macaddr = chance.mac();
  const level = -chance.integer(40, 80);
  const rates = { tx_rate: 72_200_000, rx_rate: 65_000_000 };
  const facts = { device: radio, signal: level, noise: -95, ...rates, inactive: 120 };
  const indexes = { tx_mcs: 7, tx_nss: 1, tx_mhz: 20, rx_mhz: 20 };
  const packets = device.uptimeSeconds * (1 + number);
  const client = {
    macaddr,
    device: radio,
    band: RADIOS[radio].band,
    signal: `${level} dBm`,
    standard: 'Wi-Fi 4',
    ...rates,
    ipaddr: `${lanPrefixOf(device)}${151 + number}`,
    hostname: `phone-${number + 1}`,
    interface: 'lan',
    expires: leaseLeft(device, number),
  };
  return {
    client,
    entry: [
      macaddr,
      { ...facts, ...indexes, rx_packets: packets, tx_packets: Math.floor(packets * 0.6), authorized: true },
    ],
  };
}

const MOST_STATIONS = 5;

/** @param order of the network: the stations of each have addresses of their own */
function stationsOf(
  device: SimulatedDevice,
  section: Section,
  order: number,
): { clients: LeaseHolder[]; assoclist: object } {
  const chance = device.random.fork(`wifi-${section.id}`);
  const [radio = 'radio0'] = radiosOf(section);
  const stations = Array.from({ length: chance.integer(0, MOST_STATIONS) }, (_, index) =>
    stationOf(device, radio, order * MOST_STATIONS + index, chance),
  );
  // A device answers a list where the map would be empty.
  const assoclist = stations.length > 0 ? Object.fromEntries(stations.map(({ entry }) => entry)) : [];
  return { clients: stations.map(({ client }) => client), assoclist };
}

const radioSection = (device: SimulatedDevice, radio: RadioName): Section | undefined =>
  sectionsOf(device, 'wireless/devices').find(({ id }) => id === radio);

const isOn = (device: SimulatedDevice, radio: RadioName): boolean => radioSection(device, radio)?.enabled !== '0';

/** The country whose rules a radio follows. */
const countryOf = (device: SimulatedDevice, radio: RadioName): string =>
  textOf(radioSection(device, radio)?.country, 'LT');

const radiosOf = ({ device: names }: Section): RadioName[] => (Array.isArray(names) ? names : [names]).map(radioIn);

const isRunning = (device: SimulatedDevice, section: Section): boolean =>
  section.enabled !== '0' && radiosOf(section).some((name) => isOn(device, name));

/** The clients of all wireless networks that run: they have leases too. */
export function wirelessClients(device: SimulatedDevice): LeaseHolder[] {
  if (!device.family.has.wifi) return [];
  return sectionsOf(device, 'wireless/interfaces')
    .map((section, order) => ({ section, order }))
    .filter(({ section }) => (section.mode ?? 'ap') === 'ap' && isRunning(device, section))
    .flatMap(({ section, order }) => stationsOf(device, section, order).clients);
}

function networkOf(device: SimulatedDevice, section: Section, index: number): object {
  const names = radiosOf(section);
  const [radio = 'radio0'] = names;
  // A network that joins several in turn is a client.
  const mode = section.mode === 'ap' || section.mode === undefined ? 'ap' : 'sta';
  const isUp = isRunning(device, section);
  const found = isUp && mode === 'ap' ? stationsOf(device, section, index) : { clients: [], assoclist: [] };
  const ifnames = names.map((name) => `wlan${name.at(-1)}${index > 1 ? `-${index - 1}` : ''}`);
  const radios = names.map((name) => ({ device: name, name, up: isUp, pending: false }));
  const isOne = names.length === 1;
  const bssid = macOf(device, 2 + index, ':');
  const use = useOf(device);
  const { freq } = channelOf(device, radio);
  return {
    id: section.id,
    wifi_id: `wifi${index}`,
    name: ifnames[0],
    ssid: section.ssid ?? '',
    mode,
    encryption: ENCRYPTIONS[textOf(section.encryption, 'psk2')],
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
    frequency: (freq / 1000).toFixed(3),
    ...use,
    ...(isUp ? { bssid, phy: `phy${radio.at(-1)}`, country: countryOf(device, radio), freq, disabled: false } : {}),
    devices: names.map((name, at) => ({
      ifname: ifnames[at],
      name,
      up: isUp,
      ...(isUp ? { bssid } : {}),
      ...measuresOf(device, name),
      ...use,
    })),
    ...(mode === 'sta' ? { wpa_state: isUp ? 'COMPLETED' : 'SCANNING' } : {}),
    ...found,
  };
}

function radioStatusOf(device: SimulatedDevice, { id, enabled }: Section): object {
  const radio = radioIn(id);
  return {
    id,
    name: id,
    hardware_name: 'Generic MAC80211',
    phyname: `phy${radio.at(-1)}`,
    mode: 'Master',
    type: 'mac80211',
    country: countryOf(device, radio),
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

/** The interface of a network that joins several in turn goes with it, unless a new device has it already. */
export function removeUplinksOf(device: SimulatedDevice, networks: readonly Section[]): void {
  const interfaces = serviceOf(device, 'interfaces');
  const isMade = (id: unknown): boolean =>
    !interfaces.declaration.initial.some((section) => section['id'] === id) &&
    device.configuration.list(interfaces).some((section) => section.id === id);
  for (const { mode, network } of networks) {
    if (mode === 'multi_ap' && isMade(network)) device.configuration.remove(interfaces, [String(network)]);
  }
}

export const WIRELESS_ROUTES: readonly Route[] = alike({ needs: 'wifi' }, [
  ...statusOf('wireless/devices', ['State of the radios', 'State of one radio'], radioStatusOf),
  ...statusOf('wireless/interfaces', ['State of the wireless networks', 'State of one wireless network'], networkOf),
]);
