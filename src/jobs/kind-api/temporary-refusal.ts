import { type Failure } from '../rows/job-state.js';

/*
 * Temporary refusals: the device did nothing, and the same call may be repeated. All other refusals are final
 * (observed-devices.md 1 and 4).
 */

/** Pairs of HTTP status and code. The code of an action has another meaning for another action. */
const TEMPORARY: ReadonlyMap<number, ReadonlySet<number>> = new Map([
  [422, new Set([15])], // the device has no internet now (observed-devices.md 1.9)
]);

export const REFUSED_RETRY_MS = 30_000;

export function isTemporaryRefusal({ facts }: Failure): boolean {
  const { deviceStatus, deviceCodes } = facts;
  const codes = TEMPORARY.get(Number(deviceStatus));
  return codes !== undefined && Array.isArray(deviceCodes) && deviceCodes.some((code) => codes.has(Number(code)));
}
