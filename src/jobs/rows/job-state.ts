import { isDeepStrictEqual } from 'node:util';
import { type JobOutcome, type JobPhase } from '../../artifacts/artifact-jobs.js';
import { type Facts } from '../../platform/errors.js';

/*
 * The life of a job, as pure functions: a state, what happened, and an instant go in, the next state comes out.
 *
 *              dispatch             claim               settle: the next step is near
 *    queued ------------> dispatched -----> running --------------------------------+
 *     ^  ^                    |              |  ^                                    |
 *     |  |   expire           |              |  +------------------------------------+
 *     |  +--------------------+--------------+
 *     |                                      |
 *     +------ settle, trip: a longer wait ---+  release: the process stops
 *                                            |
 *     any ---- cancel, deadline, end --------+----------> ended: succeeded | failed | not_executed | unknown | cancelled
 *
 * Dispatch (`dispatch-order.ts`) and claim (`job-writes.ts`) are compare-and-swap statements; all other rules are here.
 *
 * What the outcomes promise:
 *   succeeded     the state that was wanted was seen
 *   failed        it was tried, and the device or the result said no
 *   not_executed  it is certain that nothing was changed on the device
 *   unknown       an effect was sent and no probe could tell what became of it
 *   cancelled     somebody asked for it, before the point of no return
 */

/** Why a job does nothing at the moment, for people. */
type WaitReason = 'device_offline' | 'retry' | 'device_works' | 'worker_lost' | 'worker_stopped' | 'locked';

/** What went wrong: a stable code, a sentence, and the evidence. Never a secret. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly facts: Facts;
}

/**
 * The journal of one effect on the device. `open`: the probe before is saved, nothing was sent. `sent`: it may be
 * with the device; from here on it is only probed. The rest is what the probe after said.
 */
export interface Intent {
  readonly effect: string;
  readonly state: 'open' | 'sent' | 'executed' | 'not_executed' | 'unknown';
  readonly before: Facts;
  /** Whether an effect of this job before this one changed the device. */
  readonly follows?: true;
  readonly openedAt: string;
  readonly sentAt?: string;
  /** What the device answered, where an answer came. */
  readonly answer?: unknown;
  /** What the device refused it with before it did anything. */
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
  /** Troubles in a row at the present step. */
  readonly attempts: number;
  /** Workers that were lost in a row with this job in their hands, without progress in between. */
  readonly lostWorkers: number;
  /** Tries that it still has to make as a suspect (`dispatch-order.ts`). */
  readonly trials: number;
  /** Whether it was handed out last as the only suspect (`dispatch-order.ts`). */
  readonly triedAlone: boolean;
  /** The worker that has it. */
  readonly owner: string | null;
  /** The worker that was lost last with it, and when. */
  readonly lostBy: string | null;
  readonly lostAt: Date | null;
  readonly intent: Intent | null;
  readonly cancelAskedAt: Date | null;
  readonly result: Facts | null;
  readonly failure: Failure | null;
  readonly endedAt: Date | null;
}

/** What a step came to. `say` is for people; an outcome without it leaves no event. */
export type StepOutcome<Cursor = unknown> =
  | { readonly next: 'go'; readonly cursor: Cursor; readonly say?: Say }
  | {
      readonly next: 'wait';
      readonly cursor: Cursor;
      readonly afterMs: number;
      readonly reason: WaitReason;
      readonly say?: Say;
    }
  | End;

export interface End {
  readonly next: 'end';
  readonly outcome: Exclude<JobOutcome, 'cancelled'>;
  readonly result?: Facts;
  readonly failure?: Failure;
  readonly say?: Say;
}

export interface Say {
  readonly text: string;
  readonly facts?: Facts;
}

/**
 * A step threw. `offline` waits for the device until the deadline; `transient` is tried again a few times; `locked` waits
 * until the lock is lifted, or the deadline; `forbidden` ends the job: whoever started it may not any more.
 */
export interface Trouble {
  /** `unreadable`: the device said something that cannot be understood; whether it is asked again depends on the effect. */
  readonly class: 'offline' | 'transient' | 'unreadable' | 'locked' | 'forbidden' | 'final';
  readonly failure: Failure;
  /** What the part that failed asks for, such as a circuit breaker. */
  readonly retryAfterMs?: number;
  /** Whether it kept an effect from being sent: nothing of it is on the device. */
  readonly isBeforeEffect?: boolean;
}

/** A pause up to this long is spent in the worker's slot: a timer costs less than a turn through queue and database. */
export const HOLD_SLOT_MS = 30_000;

/** Pauses after the first, second, … trouble in a row; the last one repeats. */
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 120_000, 300_000];

/** Troubles in a row after which a transient one is taken for lasting: about 8 minutes. */
export const MAX_ATTEMPTS = 8;

/**
 * Lost workers in a row after which a job is quarantined, when the last one had nothing else in hand. One says little: all
 * jobs of that worker lost their lease. After it they are suspects, which are handed out one at a time.
 */
const MAX_LOST_WORKERS = 2;

/** A locked job looks again this often, and at once when locks change: it gives its slot back meanwhile. */
const LOCKED_MS = 60_000;

/** The last try of a job that waits is made this long before its deadline. */
export const LAST_TRY_MS = 5_000;

/** A new job, due now. */
export function begin(cursor: unknown, deadlineMs: number, now: Date): JobState {
  return {
    phase: 'queued',
    outcome: null,
    cursor,
    wakeAt: now,
    waitReason: null,
    deadlineAt: new Date(now.getTime() + deadlineMs),
    attempts: 0,
    lostWorkers: 0,
    trials: 0,
    triedAlone: false,
    owner: null,
    lostBy: null,
    lostAt: null,
    intent: null,
    cancelAskedAt: null,
    result: null,
    failure: null,
    endedAt: null,
  };
}

/** Applies the outcome of a step, and a pending cancellation and the deadline. */
export function settle<State extends JobState>(
  job: State,
  outcome: StepOutcome,
  isPastReturn: boolean,
  now: Date,
): State {
  if (outcome.next === 'end') return end(job, outcome.outcome, now, outcome.result ?? null, outcome.failure ?? null);
  const isSame = outcome.next === 'wait' && isDeepStrictEqual(job.cursor, outcome.cursor);
  const moved = { ...(isSame ? tried(job) : survived(job)), cursor: outcome.cursor, attempts: 0, failure: null };
  if (job.cancelAskedAt && !isPastReturn) return cancelled(moved, now);
  if (now >= job.deadlineAt) return atDeadline(moved, now);
  return outcome.next === 'go'
    ? { ...moved, phase: 'running', wakeAt: now, waitReason: null }
    : pause(moved, outcome.afterMs, outcome.reason, now);
}

/**
 * A step threw: the same step again later, or the end. The cursor does not move.
 * @param chance a random number in [0, 1), so that many jobs do not come back at the same instant
 */
export function trip<State extends JobState>(
  job: State,
  trouble: Trouble,
  isPastReturn: boolean,
  now: Date,
  chance: number,
): State {
  if (trouble.class === 'locked') return waitForUnlock({ ...tried(job), failure: trouble.failure }, isPastReturn, now);
  const attempts = job.attempts + 1;
  const tripped = { ...tried(job), attempts, failure: trouble.failure };
  if (job.cancelAskedAt && !isPastReturn) return cancelled(tripped, now);
  if (trouble.class === 'forbidden') return end(tripped, outcomeWithoutEnd(job), now, null, trouble.failure);
  const isFinal = trouble.class !== 'offline' && (!isWorthTrying(trouble, job) || attempts >= MAX_ATTEMPTS);
  if (isFinal) {
    const tried = isUnresolved(job) ? 'unknown' : 'failed';
    return end(tripped, trouble.isBeforeEffect ? outcomeWithoutEnd(job) : tried, now, null, trouble.failure);
  }
  if (now >= job.deadlineAt) return atDeadline(tripped, now);
  const backOffMs = RETRY_MS[Math.min(attempts, RETRY_MS.length) - 1]! * (0.8 + 0.4 * chance);
  const afterMs = Math.max(backOffMs, trouble.retryAfterMs ?? 0);
  return pause(tripped, afterMs, trouble.class === 'offline' ? 'device_offline' : 'retry', now);
}

/**
 * Somebody asks for a cancel. A job in a worker's hands is marked and ends with its present step; another ends now.
 * @returns null when it cannot be cancelled any more
 */
export function cancel<State extends JobState>(job: State, isPastReturn: boolean, now: Date): State | null {
  if (job.phase === 'ended' || isPastReturn) return null;
  if (job.phase === 'running') return { ...job, cancelAskedAt: job.cancelAskedAt ?? now };
  return cancelled({ ...job, cancelAskedAt: now }, now);
}

/**
 * The lease expired: the worker is dead or blocked. A job that is lost a second time without progress, by a worker without
 * other work, is quarantined. Each loss beside other work raises `trials` by one, because a device may crash the worker
 * only sometimes. A job that no worker had begun is not a suspect.
 * @param hadCompany whether its worker had other work in hand
 */
export function expire<State extends JobState>(
  job: State,
  isPastReturn: boolean,
  hadCompany: boolean,
  now: Date,
): State {
  const lostWorkers = job.lostWorkers + 1;
  const isBegun = job.phase === 'running';
  const trials = Math.max(1, lostWorkers - 1);
  const lost = isBegun ? { ...job, lostWorkers, trials, lostBy: job.owner, lostAt: now } : job;
  if (now >= job.deadlineAt) return atDeadline(lost, now);
  if (job.cancelAskedAt && !isPastReturn) return cancelled(lost, now);
  if (isBegun && lostWorkers >= MAX_LOST_WORKERS && !hadCompany) return quarantined(lost, now);
  return { ...lost, phase: 'queued', wakeAt: isBegun ? now : job.wakeAt, waitReason: 'worker_lost' };
}

/** The worker stops and hands the job back; it is due when it would have been. */
export function release<State extends JobState>(job: State): State {
  return { ...job, phase: 'queued', waitReason: job.waitReason ?? 'worker_stopped' };
}

/** The deadline has passed: what is known of the effect decides what can honestly be said. */
export function atDeadline<State extends JobState>(job: State, now: Date): State {
  const effect = job.intent?.state ?? 'none';
  return end(job, outcomeWithoutEnd(job), now, null, {
    code: 'deadline_passed',
    message: 'The job did not end before its deadline',
    facts: { deadlineAt: job.deadlineAt.toISOString(), effect, last: job.failure },
  });
}

/** Its cursor is none of its kind, so it can neither go on nor be looked at: this version or its row is at fault. */
export function unreadable<State extends JobState>(job: State, now: Date): State {
  return end(job, outcomeWithoutEnd(job), now, null, {
    code: 'job_unreadable',
    message: 'The state of the job cannot be read, so it cannot continue. Look at the device, then start the job again',
    facts: { effect: job.intent?.state ?? 'none', last: job.failure },
  });
}

/** Whether an effect of the job took place. */
export function hasChanged(intent: Intent | null): boolean {
  return intent?.state === 'executed' || intent?.follows === true;
}

/** What is left of an intent that was certainly not sent: nothing, unless effects before it must not be forgotten. */
export function unsent(intent: Intent): Intent | null {
  return intent.follows ? { ...intent, state: 'not_executed' } : null;
}

/** An effect was sent and nobody knows yet what became of it. */
function isUnresolved(job: Pick<JobState, 'intent'>): boolean {
  return job.intent?.state === 'sent';
}

/** What can be said of a job that is cut short: it depends on what is known of its effect. */
function outcomeWithoutEnd(job: Pick<JobState, 'intent'>): JobOutcome {
  if (isUnresolved(job)) return 'unknown';
  return hasChanged(job.intent) ? 'failed' : 'not_executed';
}

/**
 * Whether a trouble may be over when the step is tried again. Before an effect an answer that cannot be read ends the job:
 * this is not the device that we thought. After it the job owes a word about what became of it, and asks again.
 */
function isWorthTrying(trouble: Trouble, { intent }: Pick<JobState, 'intent'>): boolean {
  if (trouble.class === 'unreadable') return hasChanged(intent) || isUnresolved({ intent });
  return trouble.class !== 'final';
}

/** No trouble of the device, so it does not count as one. */
function waitForUnlock<State extends JobState>(job: State, isPastReturn: boolean, now: Date): State {
  if (job.cancelAskedAt && !isPastReturn) return cancelled(job, now);
  return now >= job.deadlineAt ? atDeadline(job, now) : pause(job, LOCKED_MS, 'locked', now);
}

/** A saved step resets the counters of losses, except when it only opened an effect. */
function survived<State extends JobState>(job: State): State {
  return job.intent?.state === 'open' ? job : { ...job, lostWorkers: 0, trials: 0 };
}

/** A try without a result: the next suspect runs, and the losses of this one stay counted. */
function tried<State extends JobState>(job: State): State {
  return { ...job, trials: Math.max(0, job.trials - 1) };
}

/** If an effect was sent and not concluded, the outcome is `unknown`. */
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
  const lastTryAt = job.deadlineAt.getTime() - LAST_TRY_MS;
  const isPastLastTry = now.getTime() >= lastTryAt;
  if (isPastLastTry && now.getTime() + afterMs >= job.deadlineAt.getTime()) return atDeadline(job, now);
  const wakeAt = new Date(isPastLastTry ? now.getTime() + afterMs : Math.min(now.getTime() + afterMs, lastTryAt));
  const isNear = wakeAt.getTime() - now.getTime() <= HOLD_SLOT_MS;
  return { ...job, phase: isNear ? 'running' : 'queued', wakeAt, waitReason: reason };
}
