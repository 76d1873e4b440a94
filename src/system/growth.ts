/* What grows, and when it fills a disk. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A shorter time tells nothing: a vacuum or one upload would count as a year's growth. */
const LEAST_MS = HOUR_MS;

/** Beyond this a date is no news. */
const FARTHEST_DAYS = 100 * 365;

export interface Sample {
  readonly bytes: number;
  readonly takenAt: Date;
}

/** Bytes a day between an earlier size and the present one; negative when it shrinks, null when it cannot be told yet. */
export function bytesPerDay(before: Sample | undefined, bytes: number, now: Date): number | null {
  if (before === undefined) return null;
  const tookMs = now.getTime() - before.takenAt.getTime();
  return tookMs < LEAST_MS ? null : Math.round(((bytes - before.bytes) / tookMs) * DAY_MS);
}

/** The sum of rates; null when none of them is known. */
export function sumOfRates(rates: readonly (number | null)[]): number | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : known.reduce((sum, rate) => sum + rate, 0);
}

/** When a disk is full at a rate; null when that is never, or not known. */
export function fullAt(freeBytes: number, rate: number | null, now: Date): Date | null {
  if (rate === null || rate <= 0) return null;
  const days = freeBytes / rate;
  return days > FARTHEST_DAYS ? null : new Date(now.getTime() + days * DAY_MS);
}
