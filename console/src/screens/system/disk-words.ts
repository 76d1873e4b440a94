import { bytesText, countText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';

/* How the storage of the gateway goes on, in a few words. Pure. */

type Disk = NonNullable<components['schemas']['System']['storage']['disk']>;

/** Less free space than this is told before the database stops for want of it. */
const LITTLE_BYTES = 2_000_000_000;

const DAY_MS = 86_400_000;
const YEAR_DAYS = 365;
/** A disk that is full sooner needs a person. */
const SOON_DAYS = 30;

/** When the disk is full at the present growth. */
export function fullText({ bytesPerDay, fullAt }: Pick<Disk, 'bytesPerDay' | 'fullAt'>, now: number): string {
  if (bytesPerDay === null) return 'growth is known after an hour';
  const days = fullAt === null ? Infinity : Math.floor((new Date(fullAt).getTime() - now) / DAY_MS);
  return days > YEAR_DAYS ? `not full within ${YEAR_DAYS} days` : `full in ${countText(Math.max(0, days), 'day')}`;
}

export function isDiskShort({ freeBytes, fullAt }: Disk, now: number): boolean {
  return freeBytes < LITTLE_BYTES || (fullAt !== null && new Date(fullAt).getTime() - now < SOON_DAYS * DAY_MS);
}

/** `1.2 MB more a day`; empty while it is not known, or nothing grows. */
export const growthText = (bytesPerDay: number | null): string =>
  bytesPerDay === null || bytesPerDay <= 0 ? '' : `${bytesText(bytesPerDay)} more a day`;

/** `0.4 a second`. */
export const rateText = (perSecond: number): string =>
  perSecond >= 10 ? Math.round(perSecond).toLocaleString('en') : perSecond.toFixed(1);

/** `12 ms`, `1.3 s`. */
export const latencyText = (ms: number | null): string => {
  if (ms === null) return '–';
  return ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
};
