/*
 * Whether a device counts as away, from checks that got no answer. Pure.
 *
 * One failed check shows little: a lost packet, a busy device. Many failures at once show more about the gateway than about
 * its devices: an overloaded process made 115 of 300 devices offline, none of which was away. So two failed checks in a row
 * make a device offline, a pass during which the process was late judges nothing, and where a third of the fleet fails at once
 * the gateway doubts itself for three passes.
 */

/** So many failed checks in a row make a device offline. */
const CHECKS_TO_OFFLINE = 2;

/** A check that waited this long for its own process says nothing about the device. */
export const LATE_MS = 1_000;

/** Fewer devices can fail together: a switch, a site. */
const DOUBT_DEVICES = 20;

/** The share of the devices that answered lately; with more failures the cause is rather here. */
const DOUBT_SHARE = 1 / 3;

/** Devices that answered within this time count for that share. */
export const LATELY_MS = 3_600_000;

/** After so many passes the failures are believed. */
const DOUBT_PASSES = 3;

/** What a pass over the fleet has found. */
export interface Pass {
  /** Whether the event loop was late by more than `LATE_MS` during it. */
  readonly wasLate: boolean;
  /** Devices that answered within `LATELY_MS`. */
  readonly answeredLately: number;
  /** Those of them whose last check failed. */
  readonly failed: number;
}

/** Whether so many devices fail that the cause is rather here. */
export const areManyFailing = ({ answeredLately, failed }: Pick<Pass, 'answeredLately' | 'failed'>): boolean =>
  failed >= DOUBT_DEVICES && failed >= answeredLately * DOUBT_SHARE;

/** Since when so many fail. It lasts as long as they do, also when the failures are believed by then. */
export interface Doubt {
  readonly sinceMs: number;
}

export interface PassVerdict {
  /** `late`: failures of this pass do not count; `doubt`: they count, and states stay; `judge`: each device is as its checks say. */
  readonly verdict: 'late' | 'doubt' | 'judge';
  readonly doubt: Doubt | null;
}

/** @param everyMs the interval of passes over the fleet */
export function judgePass(pass: Pass, before: Doubt | null, nowMs: number, everyMs: number): PassVerdict {
  if (pass.wasLate) return { verdict: 'late', doubt: before };
  if (!areManyFailing(pass)) return { verdict: 'judge', doubt: null };
  const doubt = before ?? { sinceMs: nowMs };
  const passes = Math.floor((nowMs - doubt.sinceMs) / everyMs) + 1;
  return { verdict: passes <= DOUBT_PASSES ? 'doubt' : 'judge', doubt };
}

/** Whether a device is away after so many failed checks in a row. */
export const isAway = (failedChecks: number): boolean => failedChecks >= CHECKS_TO_OFFLINE;
