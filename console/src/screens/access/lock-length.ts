import { inHours } from '../../api/clock.js';

/* How long a lock is in force, as a person chooses it. */

/** Hours; empty: until a person lifts it. */
export const LENGTHS = [
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for a day'],
  ['168', 'for a week'],
  ['', 'until it is lifted'],
] as const;

/** When a lock ends that is set now; null: it does not by itself. */
export const endOf = (hours: string): string | null => (hours === '' ? null : inHours(Number(hours)));

/** The same on the command line. */
export const endFlag = (hours: string): string => (hours === '' ? '' : ` --ends-at ${hours}h`);
