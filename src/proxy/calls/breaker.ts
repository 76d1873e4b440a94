/*
 * Circuit breaker of a device that keeps failing, as pure functions.
 *
 *   closed --5 transport errors in a row, or half of 20 calls in a minute--> open
 *   open   --after 15 s, doubling to 5 min--> one probe --answered--> closed
 *                                                 +------failed----> open, for twice as long
 *
 * A device without errors has no breaker: the first error makes it, and a quiet minute drops it, so that
 * a healthy call costs one map look-up. Only transport errors count; a 4xx or 5xx is an answer.
 */

export interface Breaker {
  /** Transport errors since the last answer. */
  readonly streak: number;
  readonly windowStartedAt: number;
  readonly calls: number;
  readonly failures: number;
  /** When the next probe may start; null while closed. */
  readonly probeAt: number | null;
  readonly probing: boolean;
  readonly pauseMs: number;
}

const STREAK_LIMIT = 5;
const WINDOW_MS = 60_000;
const WINDOW_CALLS = 20;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;

const NO_FAILURES: Breaker = {
  streak: 0,
  windowStartedAt: 0,
  calls: 0,
  failures: 0,
  probeAt: null,
  probing: false,
  pauseMs: FIRST_PAUSE_MS,
};

export type BreakerVerdict =
  { readonly pass: true; readonly probe: boolean } | { readonly pass: false; readonly retryAt: number };

/** Whether a call may go to the device now; an admitted probe must be marked with `probing`. */
export function verdictOf(breaker: Breaker, now: number): BreakerVerdict {
  if (breaker.probeAt === null) return { pass: true, probe: false };
  if (now < breaker.probeAt) return { pass: false, retryAt: breaker.probeAt };
  return breaker.probing ? { pass: false, retryAt: now + FIRST_PAUSE_MS } : { pass: true, probe: true };
}

export function probing(breaker: Breaker): Breaker {
  return { ...breaker, probing: true };
}

/** The probe ended without a result (its caller disconnected): another may start at once. */
export function probeAbandoned(breaker: Breaker): Breaker {
  return { ...breaker, probing: false };
}

export function onFailure(before: Breaker | undefined, now: number): Breaker {
  const breaker = inWindow(before ?? NO_FAILURES, now);
  const next = {
    ...breaker,
    streak: breaker.streak + 1,
    calls: breaker.calls + 1,
    failures: breaker.failures + 1,
    probing: false,
  };
  if (breaker.probeAt !== null) {
    // A failure of a call that began before it opened changes nothing; a failed probe does.
    if (!breaker.probing) return { ...next, probeAt: breaker.probeAt };
    const pauseMs = Math.min(breaker.pauseMs * 2, LONGEST_PAUSE_MS);
    return { ...next, pauseMs, probeAt: now + pauseMs };
  }
  const tooMany = next.calls >= WINDOW_CALLS && next.failures * 2 >= next.calls;
  return next.streak >= STREAK_LIMIT || tooMany ? { ...next, probeAt: now + next.pauseMs } : next;
}

/** @returns the next state, or null when no trouble is left */
export function onAnswer(breaker: Breaker, now: number): Breaker | null {
  if (breaker.probeAt !== null || now - breaker.windowStartedAt >= WINDOW_MS) return null;
  return { ...breaker, streak: 0, calls: breaker.calls + 1 };
}

function inWindow(breaker: Breaker, now: number): Breaker {
  if (now - breaker.windowStartedAt < WINDOW_MS) return breaker;
  return { ...breaker, windowStartedAt: now, calls: 0, failures: 0 };
}
