/* Who is in the network of a device: leased addresses, neighbours, routes and connections. */
import type { SimulatedDevice } from '../../device/device.js';
import { ok, type SimulatedAnswer } from '../../device/exchange.js';
import { onGet, type Route } from '../../http/route.js';
import { sectionsOf } from '../sections.js';
import { lanAddressOf, lanPrefixOf, prefixOf, uplinksOf } from './uplinks.js';
import { leaseLeft, wirelessClients } from './wireless.js';

interface LanClient {
  readonly number: number;
  readonly macaddr: string;
  /** Null: the client did not say it. */
  readonly hostname: string | null;
}

/** Machines in the LAN: always the same ones of a device. */
function clientsOf(device: SimulatedDevice): LanClient[] {
  const chance = device.random.fork('leases');
  return Array.from({ length: chance.integer(1, 4) }, (_, index) => ({
    number: 101 + index,
    macaddr: chance.mac(),
    hostname: index % 3 === 2 ? null : `client-${index + 1}`,
  }));
}

const leases = (device: SimulatedDevice): SimulatedAnswer =>
  ok([
    ...clientsOf(device).map(({ number, macaddr, hostname }) => ({
      ...(hostname === null ? {} : { hostname }),
      macaddr,
      ipaddr: `${lanPrefixOf(device)}${number}`,
      expires: leaseLeft(device, number),
      interface: 'lan',
    })),
    ...wirelessClients(device).map(({ macaddr, ipaddr, hostname, expires }) => ({
      hostname,
      macaddr,
      ipaddr,
      expires,
      interface: 'lan',
    })),
  ]);

const leasesV6 = (device: SimulatedDevice): SimulatedAnswer =>
  ok(
    clientsOf(device).map(({ number, macaddr, hostname }) => ({
      ...(hostname === null ? {} : { hostname }),
      duid: `00030001${macaddr.replaceAll(':', '').toLowerCase()}`,
      ipv6addr: [`fd00:1e::${number}`],
      expires: leaseLeft(device, number),
      interface: 'lan',
    })),
  );

/** The states of a neighbour, as texts of 0 and 1. */
const neighbour = (dest: string, family: string, mac: string, isReachable: boolean): object => ({
  dev: 'br-lan',
  dest,
  family,
  mac,
  router: '0',
  proxy: '0',
  stale: isReachable ? '0' : '1',
  noarp: '0',
  incomplete: '0',
  delay: '0',
  reachable: isReachable ? '1' : '0',
  probe: '0',
  failed: '0',
  permanent: '0',
});

const neighbours =
  (family: '4' | '6') =>
  (device: SimulatedDevice): SimulatedAnswer => {
    const wired = clientsOf(device).map(({ number, macaddr }) => {
      const dest = family === '4' ? `${lanPrefixOf(device)}${number}` : `fd00:1e::${number}`;
      return neighbour(dest, family, macaddr, Math.floor(device.moment.at / 60 + number) % 3 !== 0);
    });
    const wireless = family === '4' ? wirelessClients(device) : [];
    return ok([...wired, ...wireless.map(({ ipaddr, macaddr }) => neighbour(ipaddr, family, macaddr, true))]);
  };

/** The table of the kernel: a default route of each interface that is up, and the LAN. */
function routes(device: SimulatedDevice): SimulatedAnswer {
  const base = { type: 'unicast', family: '4', table: 'main', scope: 'global' };
  const up = uplinksOf(device).filter(({ link }) => link.address !== null);
  return ok([
    ...up.map(({ section, link }) => ({
      ...base,
      dev: link.ifname,
      proto: 'static',
      dest: 'default',
      src: link.address,
      gateway: `${prefixOf(link.address!)}1`,
      metric: String(section.metric ?? '0'),
    })),
    {
      ...base,
      dev: 'br-lan',
      proto: 'kernel',
      scope: 'link',
      dest: `${lanPrefixOf(device)}0/24`,
      src: lanAddressOf(device),
    },
  ]);
}

const routesV6 = ({ family }: SimulatedDevice): SimulatedAnswer =>
  ok([
    {
      dev: family.wanDevice ?? 'br-lan',
      type: 'unicast',
      family: '6',
      table: 'main',
      proto: 'kernel',
      scope: 'global',
      dest: 'fe80::/64',
      metric: '256',
    },
  ]);

/** The servers that the settings switch on run. */
const servers = (device: SimulatedDevice): SimulatedAnswer =>
  ok(
    sectionsOf(device, 'dhcp/servers/ipv4').map(({ id, enable_dhcpv4: enabled }) => ({
      id,
      running: enabled !== '0',
      interface: [id],
    })),
  );

const connections = (device: SimulatedDevice): SimulatedAnswer =>
  ok(
    clientsOf(device).map(({ number }) => ({
      layer3: 'ipv4',
      layer4: 'tcp',
      src: `${lanPrefixOf(device)}${number}`,
      sport: String(40_000 + number),
      dst: '192.0.2.80',
      dport: '443',
      packets: String(Math.floor(device.uptimeSeconds / 10)),
    })),
  );

export const NEIGHBOUR_ROUTES: readonly Route[] = [
  onGet('/api/dhcp/leases/ipv4/status', 'Addresses that are leased', leases),
  onGet('/api/dhcp/leases/ipv6/status', 'IPv6 addresses that are leased', leasesV6),
  onGet('/api/dhcp/servers/ipv4/status', 'Which DHCP servers run', servers),
  onGet('/api/ip_neighbors/ipv4/status', 'Neighbours', neighbours('4')),
  onGet('/api/ip_neighbors/ipv6/status', 'IPv6 neighbours', neighbours('6')),
  onGet('/api/ip_routes/ipv4/status', 'Routes', routes),
  onGet('/api/ip_routes/ipv6/status', 'IPv6 routes', routesV6),
  onGet('/api/firewall/connections/status', 'Connections that the firewall follows', connections),
];
