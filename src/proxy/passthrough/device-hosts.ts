import { type RewriteUrl } from '../../http/http-server.js';

/*
 * Host names of devices: `pump-1.devices.example/api/...` is `/d/host:pump-1/api/...`. The URL is rewritten before
 * routing, so that no route of the gateway is reachable under a device's host name.
 */

/** Target of requests for no device: below the façade, whose answers look like a device's. */
const NOWHERE = '/d/-';

/** A label of DNS (RFC 1123, section 2.1) in lower case. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * @param suffix the domain of the devices, in lower case
 */
export function deviceHosts(suffix: string): RewriteUrl {
  const ending = `.${suffix}`;
  return ({ url = '/', headers }) => {
    const host = (headers.host ?? '').toLowerCase().replace(/\.?(?::\d*)?$/, '');
    if (!host.endsWith(ending)) return url;
    const label = host.slice(0, -ending.length);
    return url.startsWith('/api/') && LABEL.test(label) ? `/d/host:${label}${url}` : NOWHERE;
  };
}
