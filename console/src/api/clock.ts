/*
 * The time at the gateway. What it tells of the past is measured by its own clock, so nothing that has happened is in the
 * future, whatever clock the reader's machine has.
 */

/** The header has whole seconds, and an answer takes time: less is no difference of clocks. */
const TOLERANCE_MS = 3_000;

let offsetMs = 0;

/** @param date of an answer that came just now */
export function noticeDate(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now();
  if (Math.abs(difference - offsetMs) > TOLERANCE_MS) offsetMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

export const gatewayNow = (): number => Date.now() + offsetMs;

/** An instant so many hours ahead, as the API takes it. */
export const inHours = (hours: number): string => new Date(gatewayNow() + hours * 3_600_000).toISOString();
