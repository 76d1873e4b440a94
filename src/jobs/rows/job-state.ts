import { isDeepStrictEqual } from 'node:util';
import { type JobOutcome, type JobPhase } from '../../artifacts/job-phases.js';
import { ONE_AT_A_TIME_FROM, QUARANTINE_FROM } from '../../database/lost-workers.js';
import { type Facts } from '../../platform/errors.js';

/*
 * The life of a job, as pure functions: each takes a state and an instant, and returns the next state.
 *
 *   queued      --> dispatched   dispatch: due, and first on its device
 *   dispatched  --> running      claim: a worker has its ticket
 *   dispatched  --> queued       undispatch: the queue did not take the ticket, or the process stops; expire: the lease
 *                                has expired
 *   running     --> running      applyResult, recordError: the next step is near
 *   running     --> queued       applyResult, recordError: a longer wait; release: the process stops; expire
 *   running     --> ended        applyResult, recordError: the end
 *   all of them --> ended        a cancellation before the point of no return; the deadline; quarantine, by expire;
 *                                an unreadable cursor, by endUnreadable
 *
 * Dispatch (`dispatch-order.ts`), undispatch (`job-rows.ts`) and claim (`job-writes.ts`) are conditional updates in SQL.
 * All other transitions are here.
 *
 * What the outcomes promise:
 *   succeeded     the intended state was verified
 *   failed        the device refused, an error ended the job, or the result is not the intended one
 *   not_executed  no effect took place on the device, for certain; an uploaded file may still be there
 *   unknown       an effect was sent, and the result of the job was not verified
 *   cancelled     a caller cancelled it before the point of no return
 */

/** Why a job waits, for people. `device_works`: the device is busy with the work of the job. */
type WaitReason = 'device_offline' | 'retry' | 'device_works' | 'worker_lost' | 'worker_stopped' | 'locked';

/** An error of a job: a stable code, a sentence, and the evidence. Never a secret. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly facts: Facts;
}

/**
 * The record of one effect on the device. `open`: the probe before is saved and nothing was sent. `sent`: the device
 * may have it, so from now on the job only probes. The other states are results of the probe after.
 */
export interface Intent {
  readonly effect: string;
  readonly state: 'open' | 'sent' | 'executed' | 'not_executed' | 'unknown';
  readonly before: Facts;
  /** Whether an earlier effect of this job changed the device. */
  readonly follows?: true;
  readonly openedAt: string;
  /** When it was marked as sent; from the answer on, or from when the worker gave it up, that time. */
  readonly sentAt?: string;
  /** The device's answer, if one arrived. */
  readonly answer?: unknown;
  /** The device's refusal, before it did anything. */
  readonly refusal?: Failure;
  readonly after?: Facts;
}

export interface JobState {
  readonly phase: JobPhase;
  readonly outcome: JobOutcome | null;
  readonly cursor: unknown;
  readonly wakeAt: Date;
  readonly waitReason: string | null;
  readonly deadlineAt: Date;
  /** Errors in a row at the present step. */
  readonly attempts: number;
  /** Workers that were lost in a row while they ran this job, without progress in between. */
  readonly lostWorkers: number;
  readonly intent: Intent | null;
  readonly cancelAskedAt: Date | null;
  readonly result: Facts | null;
  readonly failure: Failure | null;
  readonly endedAt: Date | null;
}

/** The result of a step: `go` to the step of the cursor at once, `wait` before it, or the end. `logLine` goes into the job's log. */
export type StepResult<Cursor = unknown> =
  | { readonly next: 'go'; readonly cursor: Cursor; readonly logLine?: LogLine }
  | {
      readonly next: 'wait';
      readonly cursor: Cursor;
      readonly afterMs: number;
      readonly reason: WaitReason;
      readonly logLine?: LogLine;
    }
  | End;

export interface End {
  readonly next: 'end';
  readonly outcome: Exclude<JobOutcome, 'cancelled'>;
  readonly result?: Facts;
  readonly failure?: Failure;
  readonly logLine?: LogLine;
}

export interface LogLine {
  readonly text: string;
  readonly facts?: Facts;
}

/**
 * An error of a step, by what the job does next:
 *   offline     waits for the device until the deadline
 *   transient   a few retries
 *   unreadable  the answer cannot be parsed: a retry or the end, by the state of the effect
 *   locked      waits until the lock is lifted, or the deadline
 *   forbidden   ends: its author has lost the right
 *   final       ends
 */
export interface StepError {
  readonly class: 'offline' | 'transient' | 'unreadable' | 'locked' | 'forbidden' | 'final';
  readonly failure: Failure;
  /** The shortest pause, as requested by a circuit breaker for instance. */
  readonly retryAfterMs?: number;
  /** Whether it happened before the effect was sent, so that nothing reached the device. */
  readonly isBeforeEffect?: boolean;
}

/** A worker keeps its lease during a pause up to this long: a timer costs less than another dispatch. */
export const KEEP_LEASE_MS = 30_000;

/** Pauses after the first, second, … error in a row; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 120_000, 300_000];

/** After so many errors in a row, with pauses of about 4 minutes in all, a transient error counts as final. */
export const MAX_ATTEMPTS = 8;

/** A locked job checks the lock at this interval and when locks change. No worker has it while it waits. */
const LOCKED_MS = 60_000;

/** A waiting job makes its last attempt this long before its deadline. */
export const LAST_ATTEMPT_MS = 5_000;

/** A new job, due now. */
export function newJob(cursor: unknown, deadlineMs: number, now: Date): JobState {
  return {
    phase: 'queued',
    outcome: null,
    cursor,
    wakeAt: now,
    waitReason: null,
    deadlineAt: new Date(now.getTime() + deadlineMs),
    attempts: 0,
    lostWorkers: 0,
    intent: null,
    cancelAskedAt: null,
    result: null,
    failure: null,
    endedAt: null,
  };
}

/** Applies the result of a step; one that does not end the job gives way to a pending cancellation and the deadline. */
export function applyResult<State extends JobState>(
  job: State,
  result: StepResult,
  isIrrevocable: boolean,
  now: Date,
): State {
  if (result.next === 'end') return end(job, result.outcome, now, result.result ?? null, result.failure ?? null);
  const isSame = result.next === 'wait' && isDeepStrictEqual(job.cursor, result.cursor);
  const moved = {
    ...(isSame ? job : clearLossCount(job)),
    cursor: result.cursor,
    attempts: 0,
    failure: null,
  };
  if (job.cancelAskedAt && !isIrrevocable) return cancelled(moved, now);
  if (now >= job.deadlineAt) return atDeadline(moved, now);
  return result.next === 'go'
    ? { ...moved, phase: 'running', wakeAt: now, waitReason: null }
    : pause(moved, result.afterMs, result.reason, now);
}

/**
 * A step threw: the job retries the same step later, or ends. The cursor does not move.
 * @param chance a random number in [0, 1), so that many jobs do not retry at the same instant
 */
export function recordError<State extends JobState>(
  job: State,
  error: StepError,
  isIrrevocable: boolean,
  now: Date,
  chance: number,
): State {
  if (error.class === 'locked') return waitForUnlock({ ...job, failure: error.failure }, isIrrevocable, now);
  const attempts = job.attempts + 1;
  const failedStep = { ...job, attempts, failure: error.failure };
  if (job.cancelAskedAt && !isIrrevocable) return cancelled(failedStep, now);
  if (error.class === 'forbidden') return end(failedStep, outcomeOfEarlyEnd(job), now, null, error.failure);
  const isFinal = error.class !== 'offline' && (!isRetryableError(error, job) || attempts >= MAX_ATTEMPTS);
  if (isFinal) {
    const attempted = isUnresolved(job) ? 'unknown' : 'failed';
    return end(failedStep, error.isBeforeEffect ? outcomeOfEarlyEnd(job) : attempted, now, null, error.failure);
  }
  if (now >= job.deadlineAt) return atDeadline(failedStep, now);
  const backOffMs = RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1]! * (0.8 + 0.4 * chance);
  const afterMs = Math.max(backOffMs, error.retryAfterMs ?? 0);
  return pause(failedStep, afterMs, error.class === 'offline' ? 'device_offline' : 'retry', now);
}

/**
 * Cancels a job. A running job is marked, and its worker breaks its step off and ends it; any other ends now.
 * @returns null when it cannot be cancelled any more
 */
export function cancel<State extends JobState>(job: State, isIrrevocable: boolean, now: Date): State | null {
  if (job.phase === 'ended' || isIrrevocable) return null;
  if (job.phase === 'running') return { ...job, cancelAskedAt: job.cancelAskedAt ?? now };
  return cancelled({ ...job, cancelAskedAt: now }, now);
}

/** The lease expired: the worker is dead or blocked. That counts only for a job that a worker had begun. */
export function expire<State extends JobState>(job: State, isIrrevocable: boolean, now: Date): State {
  const isBegun = job.phase === 'running';
  const lost = isBegun ? { ...job, lostWorkers: job.lostWorkers + 1 } : job;
  if (now >= job.deadlineAt) return atDeadline(lost, now);
  if (job.cancelAskedAt && !isIrrevocable) return cancelled(lost, now);
  if (isBegun && lost.lostWorkers >= QUARANTINE_FROM) return quarantined(lost, now);
  return { ...lost, phase: 'queued', wakeAt: isBegun ? now : job.wakeAt, waitReason: 'worker_lost' };
}

/** The worker stops and returns the job, which stays due at the same time. */
export function release<State extends JobState>(job: State): State {
  return { ...job, phase: 'queued', waitReason: job.waitReason ?? 'worker_stopped' };
}

/** The deadline has passed: the outcome follows from what is known about the effect. */
export function atDeadline<State extends JobState>(job: State, now: Date): State {
  const effect = job.intent?.state ?? 'none';
  return end(job, outcomeOfEarlyEnd(job), now, null, {
    code: 'deadline_passed',
    message: 'The job did not end before its deadline',
    facts: { deadlineAt: job.deadlineAt.toISOString(), effect, last: job.failure },
  });
}

/** Its kind cannot parse its cursor, so the job cannot continue: this version of the gateway, or the row, is wrong. */
export function endUnreadable<State extends JobState>(job: State, now: Date): State {
  return end(job, outcomeOfEarlyEnd(job), now, null, {
    code: 'job_unreadable',
    message: 'The state of the job cannot be read, so it cannot continue. Look at the device, then start the job again',
    facts: { effect: job.intent?.state ?? 'none', last: job.failure },
  });
}

/** Whether an effect of the job took place. */
export function hasChanged(intent: Intent | null): boolean {
  return intent?.state === 'executed' || intent?.follows === true;
}

/** What remains of an intent that was certainly not sent: nothing, unless earlier effects must stay on record. */
export function unsent(intent: Intent): Intent | null {
  return intent.follows ? { ...intent, state: 'not_executed' } : null;
}

/** An effect was sent, and its result is not known yet. */
function isUnresolved(job: Pick<JobState, 'intent'>): boolean {
  return job.intent?.state === 'sent';
}

/** The outcome of a job that ends early, by what is known about its effect. */
function outcomeOfEarlyEnd(job: Pick<JobState, 'intent'>): JobOutcome {
  if (isUnresolved(job)) return 'unknown';
  return hasChanged(job.intent) ? 'failed' : 'not_executed';
}

/**
 * Whether a retry may succeed. An answer that cannot be parsed ends a job before its effect, since this may be another
 * kind of device. After the effect the job asks again, because it must report the result of the effect.
 */
function isRetryableError(error: StepError, { intent }: Pick<JobState, 'intent'>): boolean {
  if (error.class === 'unreadable') return hasChanged(intent) || isUnresolved({ intent });
  return error.class !== 'final';
}

/** A lock is no error of the device, so it does not count as an attempt. */
function waitForUnlock<State extends JobState>(job: State, isIrrevocable: boolean, now: Date): State {
  if (job.cancelAskedAt && !isIrrevocable) return cancelled(job, now);
  return now >= job.deadlineAt ? atDeadline(job, now) : pause(job, LOCKED_MS, 'locked', now);
}

/** A saved step is progress and resets the count of lost workers, except when it only opened an effect. */
function clearLossCount<State extends JobState>(job: State): State {
  return job.intent?.state === 'open' ? job : { ...job, lostWorkers: 0 };
}

/** If an effect was sent and not concluded, or took place, the outcome is `unknown`. */
function quarantined<State extends JobState>(job: State, now: Date): State {
  const outcome = isUnresolved(job) || hasChanged(job.intent) ? 'unknown' : 'not_executed';
  return end(job, outcome, now, null, {
    code: 'quarantined',
    message:
      `${job.lostWorkers} workers ended or stopped answering while they ran this job, so it is not retried. ` +
      'Look at the log of the workers and at the device, then start the job again',
    facts: { lostWorkers: job.lostWorkers, effect: job.intent?.state ?? 'none', last: job.failure },
  });
}

function cancelled<State extends JobState>(job: State, now: Date): State {
  return end(job, 'cancelled', now, null, {
    code: 'cancelled',
    message: 'The job was cancelled on request',
    facts: { effect: job.intent?.state ?? 'none' },
  });
}

function end<State extends JobState>(
  job: State,
  outcome: JobOutcome,
  now: Date,
  result: Facts | null,
  failure: Failure | null,
): State {
  return { ...job, phase: 'ended', outcome, result, failure, waitReason: null, endedAt: now };
}

function pause<State extends JobState>(job: State, afterMs: number, reason: WaitReason, now: Date): State {
  const lastAttemptAt = job.deadlineAt.getTime() - LAST_ATTEMPT_MS;
  const isPastLastAttempt = now.getTime() >= lastAttemptAt;
  if (isPastLastAttempt && now.getTime() + afterMs >= job.deadlineAt.getTime()) return atDeadline(job, now);
  const wakeAt = new Date(
    isPastLastAttempt ? now.getTime() + afterMs : Math.min(now.getTime() + afterMs, lastAttemptAt),
  );
  // A job that runs one at a time lets the next one run while it waits.
  const isNear = wakeAt.getTime() - now.getTime() <= KEEP_LEASE_MS && job.lostWorkers < ONE_AT_A_TIME_FROM;
  return { ...job, phase: isNear ? 'running' : 'queued', wakeAt, waitReason: reason };
}
