import { type Failure } from '../rows/job-state.js';

/*
 * Refusals that pass by themselves: the device did nothing, and the same call may be made again. Everything else that a
 * device refuses is final (observed behaviour, sections 1 and 4).
 */

/** Pairs of HTTP status and code. A code of an action means something else for another action. */
const NOT_NOW: ReadonlyMap<number, ReadonlySet<number>> = new Map([
  [422, new Set([15])], // the device has no internet at the moment (observed behaviour 1.9)
]);

/** Between two tries. */
export const NOT_NOW_MS = 30_000;

/** Whether a refusal passes by itself. */
export function isNotNow({ facts }: Failure): boolean {
  const { deviceStatus, deviceCodes } = facts;
  const codes = NOT_NOW.get(Number(deviceStatus));
  return codes !== undefined && Array.isArray(deviceCodes) && deviceCodes.some((code) => codes.has(Number(code)));
}
