import { parse } from 'cookie';
import { type FastifyRequest } from 'fastify';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';

/*
 * The cookie of a person who is signed in. It is `__Host-` and Secure, so that no neighbour under the same domain and
 * nobody on the wire can set or read it. The one exception: a gateway that is reached by plain http at a loopback name
 * (development on one's own machine), where browsers differ on Secure; there it goes by another name, which is read
 * nowhere else.
 */

const SECURE = '__Host-fleetgate';
const LOOPBACK = 'fleetgate-loopback';
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What browsers send with what they load or send; RFC 9110 calls these methods safe. */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

type Origin = Pick<GatewayConfig, 'PUBLIC_URL'>;
type Sent = Pick<FastifyRequest, 'protocol' | 'host' | 'hostname' | 'headers' | 'method'>;

/** Where browsers find the gateway, as far as this request tells: `https://gateway.example`. */
export function ownOrigin(request: Sent, { PUBLIC_URL }: Origin): string {
  return PUBLIC_URL === undefined ? `${request.protocol}://${request.host}` : new URL(PUBLIC_URL).origin;
}

/** Whether the request came by plain http to a loopback name. */
function isLoopback(request: Sent, config: Origin): boolean {
  const { protocol, hostname } = new URL(ownOrigin(request, config));
  return protocol === 'http:' && LOOPBACK_NAME.test(hostname);
}

/**
 * The value of a cookie of ours.
 * @param suffix tells cookies of different use apart
 */
export function readCookie(request: Sent, config: Origin, suffix = ''): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  return parse(cookie)[cookieName(request, config, suffix)] ?? null;
}

const cookieName = (request: Sent, config: Origin, suffix: string) =>
  (isLoopback(request, config) ? LOOPBACK : SECURE) + suffix;

interface CookieForm {
  readonly value: string;
  /** Seconds until the browser forgets it; 0 makes it forget at once. */
  readonly maxAgeS: number;
  readonly suffix?: string;
  /** `Lax` for what must come back with a redirect from another site. */
  readonly sameSite?: 'Strict' | 'Lax';
}

/** A Set-Cookie header. No Domain and Path=/, as the prefix demands (RFC 6265bis, section 4.1.3.2). */
export function cookieHeader(
  request: Sent,
  config: Origin,
  { value, maxAgeS, suffix = '', sameSite = 'Strict' }: CookieForm,
): string {
  const secure = isLoopback(request, config) ? '' : '; Secure';
  return `${cookieName(request, config, suffix)}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/**
 * Refuses a write that a page of another site may have sent with the cookie of whoever looks at it. Browsers say where
 * a request comes from (Fetch Metadata, `Sec-Fetch-Site`), older ones at least name the origin; one that says neither
 * is no browser, and has no use for a cookie.
 * @throws AppError `cross_site_refused`
 */
export function requireOwnPage(request: Sent, config: Origin): void {
  if (SAFE_METHODS.has(request.method)) return;
  if (isForeign(request, config) !== false) throw new AppError('cross_site_refused');
}

/** As `requireOwnPage`, for what carries no cookie yet: a program, which says neither, is let through. */
export function refuseForeignPage(request: Sent, config: Origin): void {
  if (isForeign(request, config) === true) throw new AppError('cross_site_refused');
}

/** Whether a page of another site sent it; null when the request does not tell. */
function isForeign(request: Sent, config: Origin): boolean | null {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site !== 'same-origin';
  return origin === undefined ? null : origin !== ownOrigin(request, config);
}
