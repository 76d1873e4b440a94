import { gatewayNow } from '../../api/clock.js';

/** For how many hours a mute holds, as a person chooses it. */
export const LENGTHS = [
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for a day'],
  ['168', 'for a week'],
  ['720', 'for 30 days'],
] as const;

/** By the clock of the gateway, which ends it. */
export const inHours = (hours: number): string => new Date(gatewayNow() + hours * 3_600_000).toISOString();
