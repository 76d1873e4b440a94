/*
 * Circuit breaker of a device that keeps failing, as pure functions.
 *
 *   closed --5 transport errors in a row, or half of 20 calls in a minute--> open
 *   open   --after 15 s, doubling to 5 min--> trial call --answered--> closed
 *                                                 +------failed----> open, for twice as long
 *
 * A device without errors has no breaker: the first error makes it, and the first answer a minute later drops
 * it, so that a healthy call costs one map look-up. Only transport errors count; a 4xx or 5xx is an answer.
 *
 * The pauses spare a device that is away the calls of jobs and sweeps. A person who asks is to see at once that the device
 * is back: their call may be the trial call one second after the last error. When it fails, the pause stays as it was.
 */

export interface Breaker {
  /** Transport errors since the last answer. */
  readonly streak: number;
  readonly windowStartedAt: number;
  readonly calls: number;
  readonly failures: number;
  /** When the next trial call may start; null while closed. */
  readonly trialAt: number | null;
  readonly isTrialRunning: boolean;
  readonly pauseMs: number;
  readonly failedAt: number;
}

const STREAK_LIMIT = 5;
const WINDOW_MS = 60_000;
const WINDOW_CALLS = 20;
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 300_000;

/** After an error an interactive trial call waits for this time. */
const INTERACTIVE_PAUSE_MS = 1_000;

const NO_FAILURES: Breaker = {
  streak: 0,
  windowStartedAt: 0,
  calls: 0,
  failures: 0,
  trialAt: null,
  isTrialRunning: false,
  pauseMs: FIRST_PAUSE_MS,
  failedAt: 0,
};

export type BreakerVerdict =
  { readonly pass: true; readonly isTrial: boolean } | { readonly pass: false; readonly retryAt: number };

/**
 * Whether a call may go to the device now; before a trial call `trialStarted` must be called.
 * @param isInteractive whether an operator, person or program, waits for the answer
 */
export function verdictOf(breaker: Breaker, now: number, isInteractive = false): BreakerVerdict {
  if (breaker.trialAt === null) return { pass: true, isTrial: false };
  const trialAt = isInteractive ? Math.min(breaker.trialAt, breaker.failedAt + INTERACTIVE_PAUSE_MS) : breaker.trialAt;
  if (now < trialAt) return { pass: false, retryAt: trialAt };
  if (!breaker.isTrialRunning) return { pass: true, isTrial: true };
  return { pass: false, retryAt: now + (isInteractive ? INTERACTIVE_PAUSE_MS : FIRST_PAUSE_MS) };
}

export function trialStarted(breaker: Breaker): Breaker {
  return { ...breaker, isTrialRunning: true };
}

/** The trial call ended without a result (its caller disconnected): another may start at once. */
export function trialAbandoned(breaker: Breaker): Breaker {
  return { ...breaker, isTrialRunning: false };
}

export function onFailure(before: Breaker | undefined, now: number): Breaker {
  const breaker = inWindow(before ?? NO_FAILURES, now);
  const next = {
    ...breaker,
    streak: breaker.streak + 1,
    calls: breaker.calls + 1,
    failures: breaker.failures + 1,
    isTrialRunning: false,
    failedAt: now,
  };
  if (breaker.trialAt !== null) {
    // A call that began before it opened, or an interactive trial call, does not prolong the pause.
    if (!breaker.isTrialRunning || now < breaker.trialAt) return { ...next, trialAt: breaker.trialAt };
    const pauseMs = Math.min(breaker.pauseMs * 2, LONGEST_PAUSE_MS);
    return { ...next, pauseMs, trialAt: now + pauseMs };
  }
  const tooMany = next.calls >= WINDOW_CALLS && next.failures * 2 >= next.calls;
  return next.streak >= STREAK_LIMIT || tooMany ? { ...next, trialAt: now + next.pauseMs } : next;
}

/** @returns the next state, or null when no trouble is left */
export function onAnswer(breaker: Breaker, now: number): Breaker | null {
  if (breaker.trialAt !== null || now - breaker.windowStartedAt >= WINDOW_MS) return null;
  return { ...breaker, streak: 0, calls: breaker.calls + 1 };
}

function inWindow(breaker: Breaker, now: number): Breaker {
  if (now - breaker.windowStartedAt < WINDOW_MS) return breaker;
  return { ...breaker, windowStartedAt: now, calls: 0, failures: 0 };
}
