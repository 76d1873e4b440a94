/* From the path of an operation to an address, so that no value of a caller can lead a key elsewhere. */

/** Characters that a path may have as they are (RFC 3986, `pchar`); the gateway refuses paths that encode them. */
const PLAIN = /%(?:21|24|26|27|28|29|2A|2B|2C|3A|3B|3D|40)/g;

/**
 * Fills in the parameters of a path. `{path}` is the rest of a device's path and keeps its slashes.
 * @throws TypeError for a parameter that is missing, and for `.` and `..`, which would change the path
 */
export function fillPath(template: string, parameters: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w{1,40})\}/g, (_match, name: string) => {
    const value = parameters[name];
    if ((typeof value !== 'string' && typeof value !== 'number') || value === '') {
      throw new TypeError(`The parameter ${name} of ${template} is missing`);
    }
    const segments = name === 'path' ? String(value).split('/') : [String(value)];
    return segments.map((segment) => encodeSegment(name, segment)).join('/');
  });
}

function encodeSegment(name: string, segment: string): string {
  if (segment === '.' || segment === '..') throw new TypeError(`The parameter ${name} cannot contain ${segment}`);
  return encodeURIComponent(segment).replaceAll(PLAIN, decodeURIComponent);
}

/**
 * The address of a path that the caller has filled in by hand.
 * @throws TypeError for a path that leads to another server, or out of the base address
 */
export function addressOf(baseUrl: string, path: string): string {
  const address = new URL(baseUrl + path);
  if (!path.startsWith('/') || !address.href.startsWith(`${baseUrl}/`)) {
    throw new TypeError(`The path ${path.slice(0, 200)} leads out of ${baseUrl}: begin it with a slash`);
  }
  return address.href;
}

/**
 * The base address of a gateway, without a slash at its end.
 * @throws TypeError when it is no http or https address, or has a user, a query or a fragment. Also for a host that `URL`
 *   reads as another one: 192.168.001.010 would be 192.168.1.8, which would get the key
 */
export function baseUrlOf(url: string): string {
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`The address of a gateway is http or https`);
  if (username !== '' || password !== '' || search !== '' || hash !== '') {
    throw new TypeError('The address of a gateway has no user, password, query or fragment');
  }
  const isAsWritten = url.toLowerCase().startsWith(origin) || /^https?:\/\/\[/i.test(url);
  if (!isAsWritten) throw new TypeError(`The address would be read as ${origin}: write it in this form`);
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}
