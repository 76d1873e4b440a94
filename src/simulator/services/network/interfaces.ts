/* Network interfaces, their order of preference, and whether one of them reaches the internet. */
import type { Section } from '../../device/configuration.js';
import { ROOT } from '../../device/accounts.js';
import type { SimulatedDevice } from '../../device/device.js';
import { ok, refuse, type SimulatedAnswer, type SimulatedRequest } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';
import { macOf } from '../system/board.js';
import { sectionsOf, statusOf } from '../sections.js';
import { isOnline, linkOf, uplinksOf, type InterfaceLink } from './uplinks.js';

/** Bytes of a received and of a sent packet, on average (chosen). */
const [RX_PACKET, TX_PACKET] = [800, 350];

const countersOf = ({ bytes: { rx, tx } }: InterfaceLink) => ({
  rx_bytes: rx,
  tx_bytes: tx,
  rx_packets: Math.floor(rx / RX_PACKET),
  tx_packets: Math.floor(tx / TX_PACKET),
});

/** Addresses and routes; empty lists while the link is down. */
function addressesOf({ address, mask }: InterfaceLink, isWan: boolean): object {
  const isUp = address !== null;
  const servers = isUp && isWan ? ['192.0.2.53', '192.0.2.54'] : [];
  return {
    ipaddrs: isUp ? [`${address}/${mask}`] : [],
    ip6addrs: [],
    'dns-server': servers,
    'dns-search': [],
    dnsaddrs: servers,
    'ipv4-address': isUp ? [{ address, mask }] : [],
    'ipv6-address': [],
    route: isUp && isWan ? [{ target: '0.0.0.0', mask: 0 }] : [],
  };
}

function interfaceOf(device: SimulatedDevice, section: Section): object {
  const link = linkOf(device, section);
  const { ifname, type, network } = link;
  const isUp = link.address !== null;
  const isWan = section.area_type === 'wan';
  const counters = countersOf(link);
  const macaddr = macOf(device, isWan ? 1 : 0, ':');
  return {
    id: section.id,
    name: section.name ?? section.id,
    interface: section.id,
    ifname,
    device: ifname,
    l3_device: ifname,
    proto: section.proto,
    type,
    typename: type,
    desc: `${section.id} (${ifname})`,
    macaddr,
    network_type: network,
    area_type: isWan ? 'wan' : 'lan',
    metric: Number(section.metric ?? 0),
    ...(network === 'mobile'
      ? { modem_id: section.modem ?? device.family.modem.id, sim: Number(section.sim ?? 1) }
      : {}),
    uptime: isUp ? Math.max(0, Math.floor(device.moment.at) - link.upSince) : 0,
    ...counters,
    up: isUp,
    is_up: isUp,
    autostart: section.enabled !== '0',
    available: true,
    pending: false,
    dynamic: false,
    is_dynamic: false,
    delegation: true,
    ...addressesOf(link, isWan),
    subdevices: [{ name: ifname, ifname, type, typename: type, macaddr, is_up: isUp, ...counters }],
  };
}

/** By interface, the preferred one first: as the members of the failover order them. `notracking` never occurs. */
function failover(device: SimulatedDevice): SimulatedAnswer {
  const members = sectionsOf(device, 'failover/members');
  const rankOf = ({ id }: Section): number =>
    Number(members.find((member) => member['interface'] === id)?.['metric'] ?? Infinity);
  const uplinks = uplinksOf(device).toSorted((a, b) => (rankOf(a.section) < rankOf(b.section) ? -1 : 1));
  const states = uplinks.map(({ section, link }) => {
    const isUp = link.address !== null;
    const status = section.enabled === '0' ? 'disabled' : isUp ? 'online' : 'offline';
    return [section.id, { status, up: isUp, running: isUp }] as const;
  });
  return ok(Object.fromEntries(states));
}

function internet(device: SimulatedDevice): SimulatedAnswer {
  const state = isOnline(device) ? 'Online' : 'Offline';
  return ok({ ipv4_status: state, ipv6_status: 'Offline', dns_status: state });
}

/** Limited accounts may not see it (recorded from a RUT906). No recording shows its fields (chosen). */
function devices(device: SimulatedDevice, { session }: SimulatedRequest): SimulatedAnswer {
  const { family, behaviour } = device;
  if (device.accounts.find(session!.username)?.group !== ROOT) throw refuse('aclRefused', behaviour.profile);
  const { lan } = family.network;
  const names = [...(typeof lan === 'string' ? [lan] : lan), ...(family.wanDevice === null ? [] : [family.wanDevice])];
  return ok(names.map((name, index) => ({ name, type: 'ethernet', up: true, macaddr: macOf(device, index, ':') })));
}

export const INTERFACE_ROUTES: readonly Route[] = [
  onGet('/api/network/devices/status', 'Network devices', devices, { codes: [120] }),
  ...statusOf('interfaces', ['State of the network interfaces', 'State of one network interface'], interfaceOf),
  onGet('/api/failover/status', 'Interfaces that lead outside, in order', failover),
  onGet('/api/internet_connection/status', 'Whether the internet is reached', internet),
];
