import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';
import { type IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/*
 * The address of a caller, in one spelling. Rate limits, the throttle of passwords, allowed networks, sessions and the
 * audit all use it, so nothing else reads a socket's address or X-Forwarded-For.
 *
 * Proxies write many forms: a port, brackets, quotes, `unknown`, a made-up name (RFC 7239, section 6). A form that is
 * no address gives `UNKNOWN_ADDRESS`: otherwise each new spelling would be a new source, without any limit. For the
 * same reason an element that is no address never uncovers the element before it, which the caller may have written.
 */

/** All callers without a readable address are one source; no network of a list contains it. */
export const UNKNOWN_ADDRESS = 'unknown';

/** `"[` and `%zone]:65535"` around 45 characters of IPv6; what is longer is not read. */
const ADDRESS_LENGTH_MAX = 100;

/** More trusted proxies in a row than any installation has. */
const HOPS_MAX = 32;

/** A port, or a made-up name of one (RFC 7239, section 6.2). */
const PORT = /^:(?:\d{1,5}|_[\w.-]{1,40})$/;

/**
 * Reads one address as a proxy or the system writes it.
 * @returns IPv4, or IPv6 in its shortest form without zone; IPv4 in IPv6 form as IPv4; null for anything else
 */
export function readAddress(written: string): string | null {
  if (written.length > ADDRESS_LENGTH_MAX) return null;
  let text = written.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) text = text.slice(1, -1);
  if (text.startsWith('[')) {
    const end = text.indexOf(']');
    const rest = text.slice(end + 1);
    return end > 0 && (rest === '' || PORT.test(rest)) ? readIPv6(text.slice(1, end)) : null;
  }
  const colon = text.indexOf(':');
  if (colon < 0) return isIPv4(text) ? text : null;
  if (isIPv4(text.slice(0, colon))) return PORT.test(text.slice(colon)) ? text.slice(0, colon) : null;
  return readIPv6(text);
}

/** Without its zone, which has a meaning on one machine only, and which a caller could vary. */
function readIPv6(text: string): string | null {
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  return isIPv6(address) ? ipaddr.process(address).toString() : null;
}

/**
 * The address where a request came from: the last one that a trusted proxy reported.
 * @param peer of the connection, as `readAddress` returns it
 * @param forwardedFor X-Forwarded-For; several headers are joined by commas
 * @param isTrusted whether an address is that of a trusted proxy
 */
export function callerAddress(
  peer: string | null,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  if (peer === null) return UNKNOWN_ADDRESS;
  let address = peer;
  let end = forwardedFor?.trim() ? forwardedFor.length : -1;
  for (let hops = 0; end >= 0 && isTrusted(address); hops++) {
    const comma = end === 0 ? -1 : forwardedFor!.lastIndexOf(',', end - 1);
    const read = hops < HOPS_MAX ? readAddress(forwardedFor!.slice(comma + 1, end)) : null;
    if (read === null) return UNKNOWN_ADDRESS;
    address = read;
    end = comma;
  }
  return address;
}

const PEER = Symbol('address of the peer');

type KnownSocket = Socket & { [PEER]?: string | null };

/** Kept at the socket: a closed one has no address any more, and a busy one is asked for each request. */
function peerOf(socket: KnownSocket): string | null {
  return (socket[PEER] ??= readAddress(socket.remoteAddress ?? ''));
}

/**
 * @param proxies trusted networks in CIDR form; without any, X-Forwarded-For is ignored, since any client could forge it
 * @returns the reader of a server's requests
 */
export function callerAddressReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  if (proxies.length === 0) return ({ socket }) => peerOf(socket) ?? UNKNOWN_ADDRESS;
  const networks = new BlockList();
  for (const proxy of proxies) {
    const [network, bits] = proxy.split('/') as [string, string];
    networks.addSubnet(network, Number(bits), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  const isTrusted = (address: string) => networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  return ({ socket, headers }) => {
    const forwardedFor = headers['x-forwarded-for'];
    return callerAddress(peerOf(socket), [forwardedFor].flat().join(',') || undefined, isTrusted);
  };
}
