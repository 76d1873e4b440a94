/** Proxies in front give up after 60 s without a byte (nginx, Apache, load balancers). The answer says how long was waited for. */
export const MAX_WAIT_S = 50;

/**
 * Reads `wait` of a Prefer header (RFC 7240, 4.3); the first of several counts (section 2).
 * @returns seconds, at most `MAX_WAIT_S`; null when the caller does not want to wait
 */
export function readWait(header: string | undefined): number | null {
  for (const preference of header?.split(',') ?? []) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_S);
  }
  return null;
}
