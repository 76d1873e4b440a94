import { parse } from 'cookie';
import { type FastifyRequest } from 'fastify';
import { ownOrigin, ownPrefix } from '../../platform/addresses/own-address.js';
import { type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';

/*
 * The session cookie. It is `__Host-` and Secure, so that neither another host of the domain nor an eavesdropper can
 * set or read it. Two exceptions, each with a name that is accepted nowhere else:
 *   - below a path, where other applications share the host: `__Host-` would send the cookie to all of them (ADR 30);
 *   - at a loopback name by plain http (development on one machine), where browsers treat Secure differently.
 */

const SECURE = '__Host-fleetgate';
const BELOW_A_PATH = '__Secure-fleetgate';
const LOOPBACK = 'fleetgate-loopback';
const LOOPBACK_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Methods that change nothing (RFC 9110, 9.2.1). */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

type Origin = Pick<GatewayConfig, 'PUBLIC_URL'>;
type SentRequest = Pick<FastifyRequest, 'protocol' | 'host' | 'hostname' | 'headers' | 'method'>;

/** Whether the request came by plain http to a loopback name. */
function isLoopback(request: SentRequest, config: Origin): boolean {
  const { protocol, hostname } = new URL(ownOrigin(request, config));
  return protocol === 'http:' && LOOPBACK_NAME.test(hostname);
}

/** The value of a cookie of the gateway. @param suffix distinguishes cookies of different use */
export function readCookie(request: SentRequest, config: Origin, suffix = ''): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  return parse(cookie)[cookieName(request, config, suffix)] ?? null;
}

const cookieName = (request: SentRequest, config: Origin, suffix: string) =>
  (isLoopback(request, config) ? LOOPBACK : sessionCookieName(config)) + suffix;

/** The name of the session cookie by https. */
export const sessionCookieName = (config: Origin): string => (ownPrefix(config) === '' ? SECURE : BELOW_A_PATH);

interface CookieForm {
  readonly value: string;
  /** Seconds until the browser deletes it; 0 deletes it at once. */
  readonly maxAgeS: number;
  readonly suffix?: string;
  /** `Lax` for a cookie that must come back with a redirect from another site. */
  readonly sameSite?: 'Strict' | 'Lax';
}

/** A Set-Cookie header. `__Host-` requires Path=/ and no Domain (RFC 6265bis, section 4.1.3.2). */
export function cookieHeader(
  request: SentRequest,
  config: Origin,
  { value, maxAgeS, suffix = '', sameSite = 'Strict' }: CookieForm,
): string {
  const secure = isLoopback(request, config) ? '' : '; Secure';
  const path = ownPrefix(config) || '/';
  return `${cookieName(request, config, suffix)}=${value}; Path=${path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/**
 * What a browser may want an answer for. As a script or style, the answer of a device would act on our own pages, with
 * the rights of their reader.
 */
const DESTINATIONS: ReadonlySet<unknown> = new Set([undefined, 'empty', 'document']);

/**
 * Refuses a request whose answer a page wants to run, and a write that a page of another site may have sent with the
 * user's cookie (CSRF). Browsers tell the use and the source of a request (Fetch Metadata), older ones at least the
 * origin. A client that sends neither is no browser and needs no cookie.
 * @throws AppError `cross_site_refused`
 */
export function requireSameOrigin(request: SentRequest, config: Origin): void {
  if (!DESTINATIONS.has(request.headers['sec-fetch-dest'])) throw new AppError('cross_site_refused');
  if (SAFE_METHODS.has(request.method)) return;
  if (isForeign(request, config) !== false) throw new AppError('cross_site_refused');
}

/** As `requireSameOrigin`, for requests without a cookie: a program, which sends neither header, is accepted. */
export function refuseForeignPage(request: SentRequest, config: Origin): void {
  if (isForeign(request, config) === true) throw new AppError('cross_site_refused');
}

/** Whether a page of another site sent it; null when unknown. */
function isForeign(request: SentRequest, config: Origin): boolean | null {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site !== 'same-origin';
  return origin === undefined ? null : origin !== ownOrigin(request, config);
}
