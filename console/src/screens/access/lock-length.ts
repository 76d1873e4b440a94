import { gatewayNow } from '../../api/clock.js';

/* How long a lock is in force, as a person chooses it. */

const HOUR_MS = 3_600_000;

/** Hours; empty: until a person lifts it. */
export const LENGTHS = [
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for a day'],
  ['168', 'for a week'],
  ['', 'until it is lifted'],
] as const;

/** When a lock ends that is set now; null: it does not by itself. */
export const endOf = (hours: string): string | null =>
  hours === '' ? null : new Date(gatewayNow() + Number(hours) * HOUR_MS).toISOString();
