/* The links that lead outside, as the interfaces that use them see them: which are up, since when, with how many bytes. */
import type { Section } from '../../device/configuration.js';
import type { SimulatedDevice } from '../../device/device.js';
import { hasCable, outageAt, upSince } from '../../device/live/outages.js';
import { bytesBetween, type Bytes } from '../../device/live/traffic.js';

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

/** What a configuration says in text, or what a device has without it. */
export const textOf = (value: unknown, usual: string): string => (typeof value === 'string' ? value : usual);

/** The sections of a service as they are now. */
export function sectionsOf(device: SimulatedDevice, path: string): readonly Section[] {
  const declaration = device.declarations.get(path);
  return declaration ? device.configuration.list({ declaration, key: path }) : [];
}

function mobile(device: SimulatedDevice, { id, sim }: Section): InterfaceLink {
  const { link } = device.modem;
  const own = textOf(sim, id.includes('s2') ? '2' : '1');
  const isUp = link.isUp && String(link.sim) === own;
  const since = Math.ceil(link.since ?? upSince(device.moment, 'mobile', device.bootedAt));
  const bytes = isUp ? bytesBetween(device.moment, 'mobile', device.uplinks, since, now(device)) : NOTHING;
  const host = 2 + (Number(device.serial.slice(-4)) % 200);
  const address = isUp ? `100.64.${10 + link.sim}.${host}` : null;
  return { ifname: 'wwan0', type: 'wwan', network: 'mobile', address, mask: 30, upSince: since, bytes };
}

const now = ({ moment }: SimulatedDevice): number => Math.floor(moment.at);

function lan(device: SimulatedDevice, { ipaddr }: Section): InterfaceLink {
  const { network } = device.family;
  const [mobileBytes, wiredBytes] = (['mobile', 'wired'] as const).map((kind) =>
    bytesBetween(device.moment, kind, device.uplinks, device.bootedAt, now(device)),
  ) as [Bytes, Bytes];
  return {
    ifname: 'br-lan',
    type: 'bridge',
    network: 'wired',
    address: textOf(ipaddr, network.lanAddress),
    mask: 24,
    upSince: device.bootedAt,
    // What comes in from outside goes out to the LAN.
    bytes: { rx: mobileBytes.tx + wiredBytes.tx, tx: mobileBytes.rx + wiredBytes.rx },
  };
}

function wired(device: SimulatedDevice, { id, ipaddr }: Section): InterfaceLink {
  const ifname = device.family.wanDevice ?? 'eth0';
  const usual = id === 'wan' && device.family.wanDevice !== null && hasCable(device.moment) ? '203.0.113.17' : null;
  const given = typeof ipaddr === 'string' ? ipaddr : usual;
  const address = outageAt(device.moment, 'wired') ? null : given;
  const since = upSince(device.moment, 'wired', device.bootedAt);
  const bytes = address === null ? NOTHING : bytesBetween(device.moment, 'wired', device.uplinks, since, now(device));
  return { ifname, type: 'wired', network: 'wired', address, mask: 24, upSince: since, bytes };
}

/** The link of an interface, by what its settings say it is. */
export function linkOf(device: SimulatedDevice, section: Section): InterfaceLink {
  const link =
    section.proto === 'wwan'
      ? mobile(device, section)
      : section.id === 'lan'
        ? lan(device, section)
        : wired(device, section);
  return section.enabled === '0' ? { ...link, address: null, bytes: NOTHING } : link;
}

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
