import { type FastifyRequest } from 'fastify';
import { serviceUrl } from './written-address.js';

/*
 * The gateway's own address, as its callers see it: PUBLIC_URL, which may have a path (`https://example.org/fleet`). A proxy in front may
 * take the path off or pass it on, so requests are routed with and without it. Addresses that the gateway gives always have it.
 */

interface PublicUrl {
  readonly PUBLIC_URL?: string | undefined;
}

type SentRequest = Pick<FastifyRequest, 'protocol' | 'host'>;

/** Segments with which the gateway's own routes begin; a test compares them with the routes. */
const OWN_SEGMENTS: ReadonlySet<string> = new Set(['v1', 'd', 'console', 'docs', 'openapi.json', 'health', 'metrics']);

/** Characters that mean the same in an address, a cookie and a page. */
const PLAIN_PATH = /^\/(?:[\w.~-]+\/)*[\w.~-]*$/;

/** PUBLIC_URL, without a slash at its end. */
export const publicUrl = serviceUrl
  .superRefine((text, context) => {
    const message = publicUrlFault(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform((text) => text.replace(/\/$/, ''));

function publicUrlFault(text: string): string | null {
  if (!URL.canParse(text)) return null;
  if (/[?#]/.test(text)) return 'has a ? or #: leave it out, and what follows';
  const { pathname } = new URL(text);
  if (!PLAIN_PATH.test(pathname))
    return 'has a path with two slashes in a row, or with others than letters, digits and . _ ~ -: write it as in https://example.org/fleet';
  const first = pathname.split('/', 2)[1]!;
  if (!OWN_SEGMENTS.has(first)) return null;
  return `has a path that begins with /${first}, as addresses of the gateway itself do: give it another one, such as /fleet`;
}

/** The path of PUBLIC_URL, such as `/fleet`; empty when it has none. */
export function ownPrefix({ PUBLIC_URL }: PublicUrl): string {
  return PUBLIC_URL === undefined ? '' : new URL(PUBLIC_URL).pathname.replace(/\/$/, '');
}

/** The address of a path at the gateway, without its origin. @param path with the prefix or without it */
export function ownPath(path: string, prefix: string): string {
  return path.startsWith('/') && withoutPrefix(path, prefix) === path ? prefix + path : path;
}

/** A path as it is routed, whether a proxy has taken the prefix off or not. */
export function withoutPrefix(path: string, prefix: string): string {
  if (!path.startsWith(prefix)) return path;
  const rest = path.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : path;
}

/** The gateway's origin as browsers see it, such as `https://gateway.example`. */
export function ownOrigin(request: SentRequest, { PUBLIC_URL }: PublicUrl): string {
  return PUBLIC_URL === undefined ? `${request.protocol}://${request.host}` : new URL(PUBLIC_URL).origin;
}

/** The address of a path at the gateway, for a link that its callers follow. */
export function ownUrl(path: string, request: SentRequest, config: PublicUrl): string {
  return ownOrigin(request, config) + ownPath(path, ownPrefix(config));
}

/** Longer ones are not repeated to a caller. */
const PREFIX_MAX = 100;

/** What stands before an address of the gateway, as when a proxy passes on a path of its own: `/fleet` of `/fleet/v1/jobs`. */
export function foreignPrefix(url: string): string | null {
  const [path = ''] = url.slice(0, 1_000).split(/[?#]/, 1);
  const segments = path.split('/').slice(1);
  const at = segments.findIndex((segment) => OWN_SEGMENTS.has(segment));
  if (at < 1) return null;
  const prefix = `/${segments.slice(0, at).join('/')}`;
  return prefix !== '/' && prefix.length <= PREFIX_MAX && PLAIN_PATH.test(prefix) ? prefix : null;
}
