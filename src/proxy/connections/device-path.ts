import { PATHS, canonicalPath } from '../../device-api/contract.js';

/*
 * The strict path. Rights and audit must see exactly the path that the device sees, so a path is never repaired. It is
 * canonical, or it is refused with the reason. Everything that two parsers could read differently is refused (RFC 3986,
 * section 6.2, lists most of it).
 */

export interface DevicePath {
  /** Path and query exactly as sent. */
  readonly sentPath: string;
  /** The path for rights: without version prefix (`/api/v1/…` is `/api/…`), query and trailing slash. */
  readonly authPath: string;
}

export type PathVerdict =
  { readonly ok: true; readonly path: DevicePath } | { readonly ok: false; readonly reason: string };

/** Longer than any path of the API; a query may name many fields. */
const MAX_LENGTH = 4_096;

/** pchar of RFC 3986 without `;`, whose parameters some servers cut off, and `%`, which is checked separately. */
const SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()*+,=:@]|%[0-9A-Fa-f]{2})+$/;

const QUERY = /^[!-~]*$/;
const NOT_IN_QUERY = /[#\\"<>^`{|}]/;

/** Encoded bytes that change the meaning of a path when decoded: controls, and these. */
const HIDING = /%(?:[01][0-9a-f]|7f|2f|5c|2e|25|3b|3f|23)/i;

/** Needlessly encoded bytes: the same path in two spellings. */
const NEEDLESS = /%(?:2d|5f|7e|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i;

/** Checks the path of a request to a device. @param raw path and query of the request line, from `/api/` on */
export function devicePath(raw: string): PathVerdict {
  const refuse = (reason: string): PathVerdict => ({ ok: false, reason });
  if (raw.length > MAX_LENGTH) return refuse(`it is longer than ${MAX_LENGTH} characters`);
  const cut = raw.indexOf('?');
  const path = cut < 0 ? raw : raw.slice(0, cut);
  const problem = problemOfPath(path) ?? (cut < 0 ? null : problemOfQuery(raw.slice(cut + 1)));
  if (problem) return refuse(problem);
  return { ok: true, path: { sentPath: raw, authPath: canonicalPath(path) } };
}

function problemOfPath(path: string): string | null {
  if (!path.startsWith('/api/') || path === '/api/') return 'it does not begin with /api/ and the name of a service';
  if (/[^!-~]/.test(path)) return 'it holds characters that are not visible ASCII';
  if (path.includes('\\')) return 'it holds a backslash';
  if (path.includes('#')) return 'it holds a fragment';
  if (path.includes(';')) return 'it holds path parameters (;)';
  if (path.includes('//')) return 'it holds an empty segment (//)';
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return 'it holds a percent sign that encodes nothing';
  if (HIDING.test(path))
    return 'it holds an encoded slash, backslash, dot, percent sign, delimiter or control character';
  if (NEEDLESS.test(path)) return 'it encodes characters that need no encoding';
  if (!isUtf8(path)) return 'it encodes bytes that are not UTF-8';
  const segments = path.slice(1).split('/');
  if (segments.at(-1) === '') segments.pop(); // the device decides about a trailing slash
  for (const segment of segments) {
    if (/^\.+$/.test(segment)) return 'it holds a dot segment';
    if (!SEGMENT.test(segment)) return 'it holds characters that a path cannot hold';
  }
  return null;
}

function problemOfQuery(query: string): string | null {
  if (!QUERY.test(query)) return 'its query holds characters that are not visible ASCII';
  if (NOT_IN_QUERY.test(query)) return 'its query holds characters that must be encoded';
  if (/%(?![0-9A-Fa-f]{2})/.test(query)) return 'its query holds a percent sign that encodes nothing';
  if (/%(?:[01][0-9a-f]|7f)/i.test(query)) return 'its query holds an encoded control character';
  if (!isUtf8(query)) return 'its query encodes bytes that are not UTF-8';
  return null;
}

/**
 * Whether encoded bytes are UTF-8. Some parsers read an overlong form, such as `%c0%ae` for a dot, as a refused
 * character.
 */
function isUtf8(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Paths that end or replace the one session that all callers of a device share. */
const SESSION_PATHS: ReadonlySet<string> = new Set([PATHS.login, PATHS.logout]);

/** Whether a path would affect the gateway's own session on the device, in any letter case. */
export function touchesSession(authPath: string): boolean {
  return SESSION_PATHS.has(authPath.toLowerCase());
}
