import { type FastifyRequest } from 'fastify';

/*
 * Where scripts of our own pages come from. `'self'` would be all addresses of the gateway, and with them the answers of
 * devices (`/v1/devices/…/api`), which a device writes as it likes. A source with a path needs a host.
 */

/** A name with a port. Browsers match no other address than 127.0.0.1 (Content Security Policy 3, section 6.7.2.8). */
const NAME = /^(?:(?!\d+\.\d+\.\d+\.\d+(?::|$))[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|127\.0\.0\.1)(?::\d+)?$/i;

/**
 * The value of `script-src`: these files and folders, under each name by which a browser may have reached the gateway.
 * @param paths a folder ends in a slash
 * @returns `'self'` for a request by an address, which no source with a path can name
 */
export function scriptSources(
  request: Pick<FastifyRequest, 'host'>,
  publicUrl: string | undefined,
  paths: readonly string[],
): string {
  const hosts = new Set([request.host, ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])]);
  if ([...hosts].some((host) => !NAME.test(host))) return "'self'";
  return [...hosts].flatMap((host) => paths.map((path) => host + path)).join(' ');
}
