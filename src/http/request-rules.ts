import { type IncomingMessage } from 'node:http';
import { AppError } from '../platform/errors.js';

/*
 * Rules of HTTP/1.1 (RFC 9112) that Node's parser does not check. When a proxy and the gateway read a request
 * differently, one may let through a second request hidden in the first (request smuggling).
 */

/** A name or an address, and a port. */
const HOST = /^(?:[\w.~%-]{1,255}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{0,5})?$/;

/** @returns the error of a malformed request, or null */
export function malformation({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | null {
  // Node's parser takes 0.9 and 2.0, too, and then reads the rest as HTTP/1.
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new AppError('malformed_request', { version: httpVersion, accepted: ['1.0', '1.1'] });
  const { host, 'transfer-encoding': encoding } = headers;
  const isMissing = host === undefined && httpVersion !== '1.0';
  if (isMissing || (host !== undefined && (!HOST.test(host) || hasSeveralHosts(rawHeaders)))) return malformed('Host');
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return malformed('Transfer-Encoding');
  return null;
}

/** `headers` contains only the first one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

const malformed = (header: string) => new AppError('malformed_request', { header });
