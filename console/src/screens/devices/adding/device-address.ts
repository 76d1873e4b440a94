/* The address of a device as people type it: an IP address or a host name is enough. */

/** What was typed, as an address; or why it is none. */
export type TypedAddress =
  { readonly url: string; readonly wrong: null } | { readonly url: null; readonly wrong: string };

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Digits and dots alone: an IPv4 address that was not finished, or has a leading zero, is read as another one. */
const NUMBERS = /^[\d.]+$/;

const isIpv6 = (text: string): boolean => /^[0-9a-f:.]+$/i.test(text) && text.split(':').length > 2;

const no = (wrong: string): TypedAddress => ({ url: null, wrong });

/** Reads an address. `https://` may be left out, and the brackets of an IPv6 address. */
export function readAddress(typed: string): TypedAddress {
  const text = typed.trim();
  if (/\s/.test(text)) return no('An address has no spaces.');
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'http') return no('Devices are reached by https alone, so that nobody on the way reads the login.');
  if (scheme !== undefined && scheme !== 'https') return no('Devices are reached by https alone.');
  const rest = scheme === undefined ? text : text.slice('https://'.length);
  return readHost(isIpv6(rest) ? `[${rest}]` : rest);
}

/** @param text host and port */
function readHost(text: string): TypedAddress {
  if (text.includes('@')) return no('Leave out user name and password: they have fields of their own below.');
  const bare = text.replace(/\/$/, '');
  if (/[/?#\\]/.test(bare)) return no('An address ends after the host and its port.');
  const url = URL.canParse(`https://${bare}`) ? new URL(`https://${bare}`) : null;
  const written = bare.startsWith('[') ? bare : (bare.split(':')[0] ?? '');
  if (url === null) return no(/:/.test(bare) && !bare.startsWith('[') ? PORT_OR_HOST : NO_HOST);
  if (url.port === '0') return no('A port is a number from 1 to 65535.');
  if (NUMBERS.test(written) && url.hostname !== written)
    return no('An IP address has four numbers, such as 192.0.2.7.');
  return { url: url.origin, wrong: null };
}

const NO_HOST = 'This is no IP address and no host name.';
const PORT_OR_HOST = 'This is no host with a port, such as 192.0.2.7:8443.';
