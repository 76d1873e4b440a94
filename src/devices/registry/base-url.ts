import ipaddr from 'ipaddr.js';
import { AddressList } from '../../auth/rights/address-list.js';
import { AppError } from '../../platform/errors.js';
import { misreading } from '../../platform/addresses/written-address.js';
import { type DeviceTrust } from '../../selectors/matched-device.js';

/*
 * Allowed addresses of devices. Callers may not reach the gateway's networks themselves. So a base URL must never lead
 * to the gateway, to its machine, or to a cloud's metadata service. The same rules apply to the text of a URL (here)
 * and to the address that a name resolves to (checked again at every connection).
 */

export interface AddressPolicy {
  /** Loopback is only for the simulator. */
  readonly allowLoopback: boolean;
  /** When not empty, devices must be in these networks. */
  readonly allowedCidrs: readonly string[];
  /** `address:port` of the gateway's own listener, Postgres and Redis. */
  readonly ownEndpoints: ReadonlySet<string>;
}

/** Ranges by ipaddr.js's names (IANA special-purpose registries, RFC 6890), with the reason. */
const FORBIDDEN_RANGES: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address is not a device',
  broadcast: 'the broadcast address is not a device',
  multicast: 'a multicast address is not a device',
  linkLocal: 'link-local addresses, which include the metadata services of clouds, are not devices',
  reserved: 'reserved addresses are not devices',
  teredo: 'tunnelled addresses are not devices',
  '6to4': 'tunnelled addresses are not devices',
  rfc6052: 'translated addresses are not devices',
  rfc6145: 'translated addresses are not devices',
  discard: 'the discard prefix is not a device',
};

/** Networks for documentation (RFC 5737, RFC 3849): nothing answers there, and examples may use them. */
const DOCUMENTATION = new AddressList(['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32']);

/** Such as `::127.0.0.1` (RFC 4291, section 2.5.5.1, deprecated): some systems treat them as the IPv4 address. */
const IPV4_COMPATIBLE = new AddressList(['::/96']);

/** Metadata services outside the link-local range (Alibaba Cloud, Oracle Cloud, AWS over IPv6). */
const METADATA = new Set(['100.100.100.200', '192.0.0.192', 'fd00:ec2::254']);

/** @param address an IP address as text @returns the reason why it cannot be a device, or null */
export function isForbiddenAddress(address: string, port: number, policy: AddressPolicy): string | null {
  if (!ipaddr.isValid(address)) return 'it is not an IP address';
  const ip = ipaddr.process(address); // an IPv4-mapped IPv6 address becomes its IPv4 address
  const text = ip.toString();
  if (policy.ownEndpoints.has(`${text}:${port}`)) return 'it is an address of the gateway itself';
  if (METADATA.has(text)) return 'it is the metadata service of a cloud';
  const range = ip.range();
  if (range === 'loopback')
    return policy.allowLoopback ? null : 'loopback addresses belong to the gateway’s own machine';
  const reason = FORBIDDEN_RANGES[range];
  if (reason && !DOCUMENTATION.holds(text)) return reason;
  if (IPV4_COMPATIBLE.holds(text)) return 'IPv4-compatible addresses are not devices';
  return new AddressList(policy.allowedCidrs).holds(text) ? null : 'it is not in DEVICE_ALLOWED_CIDRS';
}

/** An address as the registry has it, before it is checked; a text that is no URL stays. */
export const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

/**
 * Checks a base URL as it is written, and normalizes it to scheme, host and port.
 * @param trust `http:` is allowed only for trust `insecure`
 * @throws AppError `base_url_refused` with the reason
 */
export function checkBaseUrl(text: string, trust: DeviceTrust, policy: AddressPolicy): string {
  const refuse = (reason: string): never => {
    throw new AppError('base_url_refused', { reason });
  };
  const misread = misreading(text);
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return refuse(misread === null ? 'it is not a URL' : `it is not a URL: ${misread}`);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('only https: and http: lead to a device');
  if (url.protocol === 'http:' && trust !== 'insecure') refuse('http: is allowed only with trust `insecure`');
  if (url.username !== '' || url.password !== '') refuse('credentials are separate fields, never in the URL');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || /[?#]$/.test(text)) {
    refuse('it must end after host and port');
  }
  if (url.port === '0') refuse('port 0 is not a port');
  const reasons = [misread, isForbiddenHost(url, policy)].filter((reason) => reason !== null);
  if (reasons.length > 0) refuse(reasons.join('; '));
  return url.origin;
}

/**
 * Judges the host of an address by its text. The addresses of a name are judged at each connection.
 * @returns the reason why the gateway connects to no such host, or null
 */
export function isForbiddenHost({ hostname, port, protocol }: URL, policy: AddressPolicy): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(.*\.)?localhost\.?$/.test(host)) {
    return policy.allowLoopback ? null : 'loopback names belong to the gateway’s own machine';
  }
  if (ipaddr.isValid(host)) {
    return isForbiddenAddress(host, Number(port) || (protocol === 'https:' ? 443 : 80), policy);
  }
  const isName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*\.?$/;
  return isName.test(host) ? null : 'the host is not a name or an address';
}
