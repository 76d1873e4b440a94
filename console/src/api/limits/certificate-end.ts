/* When a certificate is near its end: the same on every screen, and in the rule of the first start. Pure. */

/** The rule `Certificate ends within 30 days` (`src/monitoring/alerts/shipped-rules.ts`) has it, too. */
export const ENDS_SOON_DAYS = 30;

const DAY_MS = 86_400_000;

/** For how many days a certificate was issued, where these are fewer than the rule asks for: it is marked from its first day. Else null. */
export function shortLife(notBefore: string, notAfter: string): number | null {
  const days = Math.round((Date.parse(notAfter) - Date.parse(notBefore)) / DAY_MS);
  return days < ENDS_SOON_DAYS ? days : null;
}

/** The end of a certificate, as a person judges it. */
export function endOf(notAfter: string, now: number): 'past' | 'soon' | 'later' {
  const left = Date.parse(notAfter) - now;
  if (left < 0) return 'past';
  return left < ENDS_SOON_DAYS * DAY_MS ? 'soon' : 'later';
}
