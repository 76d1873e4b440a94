import ipaddr from 'ipaddr.js';
import { isForbiddenAddress, type AddressPolicy } from '../devices/registry/base-url.js';
import { AppError } from '../platform/errors.js';

/* The addresses of a search: networks in CIDR form, as one numbered list. Pure. */

/** A /20, or an IPv6 /116. */
export const ADDRESSES_MAX = 4_096;

type Network = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number];

/** The addresses of networks, in their order; a position is its number in the list. */
export class AddressRange {
  readonly networks: readonly string[];
  readonly count: number;
  private readonly parts: readonly { readonly first: readonly number[]; readonly count: number }[];

  /** @param cidrs valid networks; one inside another counts once. @throws AppError `network_refused` when too large */
  constructor(cidrs: readonly string[]) {
    const networks = withoutNested(cidrs.map(normalized));
    this.networks = networks.map(([address, prefix]) => `${address.toString()}/${prefix}`);
    this.parts = networks.map(([address, prefix]) => hostsOf(address, prefix));
    this.count = this.parts.reduce((sum, { count }) => sum + count, 0);
    if (this.count > ADDRESSES_MAX) {
      throw new AppError('network_refused', { reason: `more than ${ADDRESSES_MAX} addresses` });
    }
  }

  /** The address at a position, from 0. */
  at(position: number): string {
    let offset = position;
    for (const { first, count } of this.parts) {
      if (offset < count) return addressAfter(first, offset);
      offset -= count;
    }
    throw new Error(`There is no address ${position} in ${this.networks.join(' ')}`);
  }

  /**
   * Refuses networks that begin or end outside of what may be devices. Single addresses within, such as those of the
   * gateway itself, are left out when their turn comes.
   * @throws AppError `network_refused`
   */
  refuseForbidden(policy: AddressPolicy): void {
    for (const [index, { first, count }] of this.parts.entries()) {
      for (const address of [addressAfter(first, 0), addressAfter(first, count - 1)]) {
        const reason = isForbiddenAddress(address, 0, policy);
        if (reason) throw new AppError('network_refused', { network: this.networks[index], address, reason });
      }
    }
  }
}

/** The network of a CIDR; bits behind the prefix do not count. IPv4 in IPv6 form becomes IPv4. */
function normalized(cidr: string): Network {
  const [address, prefix] = ipaddr.parseCIDR(cidr);
  if (address instanceof ipaddr.IPv6) {
    if (address.isIPv4MappedAddress() && prefix >= 96)
      return normalized(`${address.toIPv4Address().toString()}/${prefix - 96}`);
    return [ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${prefix}`), prefix];
  }
  return [ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${prefix}`), prefix];
}

/** Two networks are apart, or one holds the other. */
function withoutNested(networks: readonly Network[]): readonly Network[] {
  const holds = (outer: Network, inner: Network) =>
    outer[0].kind() === inner[0].kind() && outer[1] <= inner[1] && inner[0].match([outer[0], outer[1]]);
  return networks.filter((inner, index) =>
    networks.every((outer, other) => other === index || !holds(outer, inner) || (holds(inner, outer) && index < other)),
  );
}

/** Without the address of an IPv4 network itself and its broadcast address; RFC 3021 has none of them in a /31. */
function hostsOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): { first: readonly number[]; count: number } {
  const bytes = address.toByteArray();
  // Exact up to 2^53; beyond it the number is only compared with the maximum.
  const size = 2 ** (bytes.length * 8 - prefix);
  if (address.kind() === 'ipv6' || size <= 2) return { first: bytes, count: size };
  return { first: bytesAfter(bytes, 1), count: size - 2 };
}

const addressAfter = (first: readonly number[], offset: number): string =>
  ipaddr.fromByteArray(bytesAfter(first, offset)).toString();

function bytesAfter(bytes: readonly number[], offset: number): number[] {
  const sum = [...bytes];
  for (let at = sum.length - 1, carry = offset; at >= 0 && carry > 0; at--) {
    const value = sum[at]! + carry;
    sum[at] = value % 256;
    carry = Math.floor(value / 256);
  }
  return sum;
}
