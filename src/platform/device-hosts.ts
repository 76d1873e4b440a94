import { type IncomingMessage } from 'node:http';

/*
 * Devices under host names of their own: `pump-1.devices.example/api/...` is `/d/host:pump-1/api/...`. The address of a
 * request is changed before it is routed, so that no route of the gateway can be reached under the name of a device.
 */

/** Where requests go that are for nobody: below the façade, whose answers look like a device's. */
const NOWHERE = '/d/-';

/** A label of DNS (RFC 1123, section 2.1) in lower case. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * @param suffix the domain of the devices, in lower case
 * @returns the address by which a request is routed
 */
export function deviceHosts(suffix: string): (request: Pick<IncomingMessage, 'url' | 'headers'>) => string {
  const ending = `.${suffix}`;
  return ({ url = '/', headers }) => {
    const host = (headers.host ?? '').toLowerCase().replace(/\.?(?::\d*)?$/, '');
    if (!host.endsWith(ending)) return url;
    const label = host.slice(0, -ending.length);
    return url.startsWith('/api/') && LABEL.test(label) ? `/d/host:${label}${url}` : NOWHERE;
  };
}
