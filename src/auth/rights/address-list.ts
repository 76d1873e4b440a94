import ipaddr from 'ipaddr.js';

/** A list of allowed networks in CIDR form. Empty: any address. */
export class AddressList {
  private readonly networks: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

  constructor(cidrs: readonly string[]) {
    this.networks = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
  }

  /** Whether an address is in one of them; IPv4 in IPv6 form counts as IPv4. */
  holds(address: string): boolean {
    if (this.networks.length === 0) return true;
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return this.networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network));
  }

  /** Whether these networks contain all the other ones, in CIDR form. */
  includes(cidrs: readonly string[]): boolean {
    if (this.networks.length === 0) return true;
    const others = cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
    const lies = ([address, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]) =>
      this.networks.some((own) => address.kind() === own[0].kind() && bits >= own[1] && address.match(own));
    return others.length > 0 && others.every(lies);
  }
}

/** A site gets a /48, with 65,536 /64 networks. Null for IPv4, whose addresses are not assigned in such numbers. */
export function networkOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return null;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString()}/48`;
}

/** The unit for counting attempts: an IPv4 address, or the /64 that a customer gets of IPv6. */
export function sourceOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
