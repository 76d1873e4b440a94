/* The links that lead outside, as the interfaces that use them see them: which are up, since when, with how many bytes. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { outageAt, upSince } from '../../device/live/outages.js';
import { bytesBetween, isWired, type Bytes } from '../../device/live/traffic.js';
import { modemViewsOf } from '../modem-views.js';
import { sectionsOf, textOf } from '../sections.js';

export interface InterfaceLink {
  readonly ifname: string;
  readonly type: string;
  readonly network: 'mobile' | 'wired';
  /** Null: the link is down. */
  readonly address: string | null;
  readonly mask: number;
  /** Seconds since 1970. */
  readonly upSince: number;
  readonly bytes: Bytes;
}

const NOTHING: Bytes = { rx: 0, tx: 0 };

function mobile(owner: SimulatedDevice, { id, sim, modem }: Section): InterfaceLink {
  const device = modemViewsOf(owner).find(({ family }) => family.modem.id === modem) ?? owner;
  const { link } = device.modem;
  const own = textOf(sim, id.includes('s2') ? '2' : '1');
  const isUp = link.isUp && String(link.sim) === own;
  // The later of the last break and the last action on the modem.
  const since = Math.ceil(Math.max(link.since ?? 0, upSince(device.moment, 'mobile', device.bootedAt)));
  const bytes = device.modem.bytesOf(own === '2' ? 2 : 1, device.bootedAt, now(device));
  const host = 2 + (Number(device.serial.slice(-4)) % 200);
  const address = isUp ? `100.64.${10 + link.sim}.${host}` : null;
  const ifname = id.startsWith('mob2') ? 'wwan1' : 'wwan0';
  return { ifname, type: 'wwan', network: 'mobile', address, mask: 30, upSince: since, bytes };
}

const now = ({ moment }: SimulatedDevice): number => Math.floor(moment.at);

function lan(device: SimulatedDevice, { ipaddr }: Section): InterfaceLink {
  const [from, to] = [device.bootedAt, now(device)];
  const mobileBytes = device.modem.bytesBetween(from, to);
  const wiredBytes = bytesBetween(device.moment, 'wired', device.uplinks, from, to);
  return {
    ifname: 'br-lan',
    type: 'bridge',
    network: 'wired',
    address: textOf(ipaddr, device.family.network.lanAddress),
    mask: 24,
    upSince: device.bootedAt,
    // What comes in from outside goes out to the LAN.
    bytes: { rx: mobileBytes.tx + wiredBytes.tx, tx: mobileBytes.rx + wiredBytes.rx },
  };
}

function wired(device: SimulatedDevice, { id, ipaddr, area_type: area }: Section): InterfaceLink {
  const isWan = area === 'wan';
  const ifname = (isWan ? device.family.wanDevice : null) ?? 'eth0';
  const given = typeof ipaddr === 'string' ? ipaddr : id === 'wan' ? '203.0.113.17' : null;
  const isPlugged = !isWan || (isWired(device.moment, device.uplinks) && !outageAt(device.moment, 'wired'));
  const address = isPlugged ? given : null;
  const since = upSince(device.moment, 'wired', device.bootedAt);
  const carries = isWan && given !== null;
  const bytes = carries ? bytesBetween(device.moment, 'wired', device.uplinks, device.bootedAt, now(device)) : NOTHING;
  return { ifname, type: 'wired', network: 'wired', address, mask: 24, upSince: since, bytes };
}

/** The network of another access point that the device is a client of. */
const JOINED: InterfaceLink = {
  ifname: 'wlan0-1',
  type: 'wifi',
  network: 'wired',
  address: '192.168.43.27',
  mask: 24,
  upSince: 0,
  bytes: NOTHING,
};

/** Whether a wireless client leads this interface outside. */
const isJoined = (device: SimulatedDevice, { id }: Section): boolean =>
  device
    .usedSections('wireless/interfaces')
    .some(({ mode, network, enabled }) => mode === 'sta' && network === id && enabled !== '0');

/** The link of an interface, by what its settings say it is. */
export function linkOf(device: SimulatedDevice, section: Section): InterfaceLink {
  const link =
    section.proto === 'wwan'
      ? mobile(device, section)
      : section.id === 'lan'
        ? lan(device, section)
        : isJoined(device, section)
          ? { ...JOINED, upSince: device.bootedAt }
          : wired(device, section);
  return section.enabled === '0' ? { ...link, address: null, bytes: NOTHING } : link;
}

/** `192.168.1.` of `192.168.1.7`. */
export const prefixOf = (address: string): string => address.slice(0, address.lastIndexOf('.') + 1);

/** The address of the device in its LAN, as its settings are now. */
export const lanAddressOf = (device: SimulatedDevice): string =>
  textOf(sectionsOf(device, 'interfaces').find(({ id }) => id === 'lan')?.ipaddr, device.family.network.lanAddress);

/** The first three numbers of every address in the LAN. */
export const lanPrefixOf = (device: SimulatedDevice): string => prefixOf(lanAddressOf(device));

/** The interfaces that lead outside, the preferred one first. */
export function uplinksOf(device: SimulatedDevice): { section: Section; link: InterfaceLink }[] {
  return sectionsOf(device, 'interfaces')
    .filter(({ area_type: area }) => area === 'wan')
    .toSorted((a, b) => Number(a.metric ?? 0) - Number(b.metric ?? 0))
    .map((section) => ({ section, link: linkOf(device, section) }));
}

/** Whether anything leads outside now. */
export const isOnline = (device: SimulatedDevice): boolean =>
  uplinksOf(device).some(({ link }) => link.address !== null);
