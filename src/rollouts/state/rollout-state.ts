import { paceOf, waveRules, type RolloutPolicy, type WavePolicy } from './rollout-policy.js';

/*
 * The state machine of a rollout, as pure functions from the present state and an instant to the next actions.
 *
 *   draft              --> scheduled            start
 *                      --> awaiting_approval    start of a large rollout (`submit`)
 *   awaiting_approval  --> scheduled | draft    approve | reject
 *   scheduled          --> running              at its start time
 *   scheduled, running --> paused               a person, a threshold, a lock, a failed wave, … (`PauseCause`)
 *   paused             --> scheduled            resume
 *   finished, paused   --> scheduled            retry of devices that did not succeed
 *   running            --> finished             nothing is left to do
 *   any but the ends   --> aborting --> aborted
 *
 *   wave    waiting --> running --> soaking --> passed
 *           running, soaking --> failed         too few devices succeeded
 *           failed --> passed | running         a resume | a retry; a retry also runs passed and soaking waves again
 *   target  waiting, offline --> queued         its job starts
 *           queued --> running                  a worker has claimed the job
 *           queued, running --> succeeded | failed | unknown | cancelled
 *           queued, running --> waiting         a retry later
 *           waiting, queued, running --> offline   its device is offline; once it is back, its job starts
 *           offline --> waiting                 its device is locked
 *           waiting, offline, queued, running --> skipped | cancelled
 *           any end but succeeded --> waiting   a retry by a person
 *           succeeded --> failed                a health check failed
 *
 * Targets are counted, never listed: 10,000 of them are one row of numbers per wave. The caller changes targets with
 * set-based statements and asks `decide` for the next actions, while it holds the lock on the rollout. Devices start only
 * after a decision, so a threshold is never exceeded by more than the devices that were running.
 */

export const ROLLOUT_STATES = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'running',
  'paused',
  'aborting',
  'finished',
  'aborted',
] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

export const WAVE_STATES = ['waiting', 'running', 'soaking', 'passed', 'accepted', 'failed'] as const;
export type WaveState = (typeof WAVE_STATES)[number];

/** Whether the next wave may follow: it passed, or a person accepted it as it failed. */
const isBehind = ({ state }: Pick<Wave, 'state'>): boolean => state === 'passed' || state === 'accepted';

export const TARGET_STATES = [
  'waiting',
  'offline',
  'queued',
  'running',
  'succeeded',
  'failed',
  'unknown',
  'skipped',
  'cancelled',
] as const;
export type TargetState = (typeof TARGET_STATES)[number];

export type Counts = Readonly<Record<TargetState, number>>;

/** Why a rollout is paused. */
export type PauseCause =
  | 'operator'
  | 'error_threshold'
  | 'wave_failed'
  | 'locked'
  | 'author_gone'
  | 'selector_unreadable'
  | 'refused'
  | 'quarantined';

/** The text for callers who do not see all devices of a rollout, instead of a sentence with numbers or names. */
export const PAUSE_WITHOUT_FACTS: Readonly<Partial<Record<PauseCause, string>>> = {
  error_threshold: 'The failures reached a limit that stops this rollout.',
  wave_failed: 'Too few devices of a wave succeeded.',
  selector_unreadable: 'Its selector can no longer be read.',
};

export interface Wave {
  readonly ordinal: number;
  readonly state: WaveState;
  /** Without the devices that the plan skipped. */
  readonly counts: Counts;
  /** How many targets ended in the same state for the same reason. */
  readonly causes: readonly { readonly state: TargetState; readonly reason: string | null; readonly count: number }[];
  /** A person promoted it. */
  readonly promoted: boolean;
  /** When its soak ends, in milliseconds since 1970. */
  readonly soakUntil: number | null;
  /** Succeeded targets that were not checked since the soak ended; 0 without checks. */
  readonly unchecked: number;
}

/** Finished and failed targets that a person has acknowledged by a resume or a retry; they do not count again. */
interface AcknowledgedEnds {
  readonly finished: number;
  readonly failed: number;
}

export interface RolloutSnapshot {
  readonly state: RolloutState;
  readonly waves: readonly Wave[];
  readonly acknowledged: AcknowledgedEnds;
  readonly startsAt: number | null;
  /** Targets that started within the time of `paceOf`. */
  readonly startedInPace: number;
  /** Bytes that each start sends to a device; 0 when the kind uploads nothing. */
  readonly bytesPerStart: number;
}

/** The next actions. Repeating them has no further effect, except `startBudget`, which is for one use. */
export interface Decision {
  readonly state: RolloutState;
  /** For an automatic pause: the reason, as a code and in one sentence. */
  readonly pause: { readonly cause: PauseCause; readonly sentence: string } | null;
  readonly waves: readonly { readonly ordinal: number; readonly state: WaveState; readonly soakUntil: number | null }[];
  /** Targets that may start now, of waves up to this one. */
  readonly startBudget: { readonly upTo: number; readonly count: number };
  /** Waves whose soak has ended and whose succeeded targets need a check. */
  readonly check: readonly number[];
  /** Targets that have not started are cancelled, for this reason. */
  readonly cancelRest: 'aborted' | 'rollout_ended' | null;
}

export const NO_TARGETS: Counts = Object.freeze(
  Object.fromEntries(TARGET_STATES.map((state) => [state, 0])) as Record<TargetState, number>,
);

/** Adds counts up. */
export function sum(all: readonly Counts[]): Counts {
  const total = { ...NO_TARGETS } as Record<TargetState, number>;
  for (const counts of all) for (const state of TARGET_STATES) total[state] += counts[state];
  return total;
}

/** Targets with a running job, or one that starts at once. */
export const inFlight = (counts: Counts): number => counts.queued + counts.running;

/** Targets with a known end after an attempt. */
export const finishedCount = (counts: Counts): number => counts.succeeded + counts.failed + counts.unknown;

/** Targets without success. */
export const failedCount = (counts: Counts): number => counts.failed + counts.unknown;

const openCount = (counts: Counts): number => counts.waiting + counts.offline + inFlight(counts);

export const totalCount = (counts: Counts): number => TARGET_STATES.reduce((total, state) => total + counts[state], 0);

/** The next actions of a rollout. Call it until its actions change nothing. @param now milliseconds since 1970 */
export function decide(rollout: RolloutSnapshot, policy: RolloutPolicy, now: number): Decision {
  const same: Decision = {
    state: rollout.state,
    pause: null,
    waves: [],
    startBudget: { upTo: -1, count: 0 },
    check: [],
    cancelRest: null,
  };
  const total = sum(rollout.waves.map(({ counts }) => counts));
  switch (rollout.state) {
    case 'scheduled':
      return rollout.startsAt !== null && now < rollout.startsAt ? same : { ...same, state: 'running' };
    case 'aborting':
      return { ...same, state: inFlight(total) === 0 ? 'aborted' : 'aborting', cancelRest: 'aborted' };
    case 'running':
      return run(rollout, policy, now, total, same);
    default:
      return same;
  }
}

function run(rollout: RolloutSnapshot, policy: RolloutPolicy, now: number, total: Counts, same: Decision): Decision {
  const stopSentence = stopReason(total, rollout.acknowledged, policy);
  if (stopSentence !== null)
    return { ...same, state: 'paused', pause: { cause: 'error_threshold', sentence: stopSentence } };
  if (policy.endsAt !== undefined && now >= Date.parse(policy.endsAt)) {
    return { ...same, state: inFlight(total) === 0 ? 'finished' : 'running', cancelRest: 'rollout_ended' };
  }
  const current = rollout.waves.find((wave) => !isBehind(wave));
  if (!current)
    return { ...same, ...(openCount(total) === 0 ? { state: 'finished' } : allowedStarts(rollout, policy, total)) };
  const moved = advanceWave(current, policy, now);
  if (moved.failure !== null) {
    return {
      ...same,
      state: 'paused',
      pause: { cause: 'wave_failed', sentence: moved.failure },
      waves: [{ ordinal: current.ordinal, state: 'failed', soakUntil: current.soakUntil }],
    };
  }
  const changed = moved.state !== current.state;
  return {
    ...same,
    waves: changed ? [{ ordinal: current.ordinal, state: moved.state, soakUntil: moved.soakUntil }] : [],
    check: moved.wantsCheck ? [current.ordinal] : [],
    ...allowedStarts(rollout, policy, total),
  };
}

interface WaveStep {
  readonly state: WaveState;
  readonly soakUntil: number | null;
  readonly wantsCheck: boolean;
  readonly failure: string | null;
}

function advanceWave(wave: Wave, policy: RolloutPolicy, now: number): WaveStep {
  const rules = waveRules(policy, wave.ordinal);
  const stay: WaveStep = { state: wave.state, soakUntil: wave.soakUntil, wantsCheck: false, failure: null };
  switch (wave.state) {
    case 'waiting':
      return rules.gate === 'manual' && !wave.promoted ? stay : { ...stay, state: 'running' };
    case 'running': {
      if (!isExhausted(wave, rules.successPercent)) return stay;
      const failure = shortfall(wave, rules);
      if (failure !== null) return { ...stay, failure };
      const soakMs = wave.counts.succeeded > 0 ? rules.soakMinutes * 60_000 : 0; // nothing to watch otherwise
      return { ...stay, state: 'soaking', soakUntil: now + soakMs };
    }
    case 'soaking': {
      if (now < wave.soakUntil!) return stay;
      if (wave.unchecked > 0) return { ...stay, wantsCheck: true };
      const failure = shortfall(wave, rules);
      return failure === null ? { ...stay, state: 'passed' } : { ...stay, failure };
    }
    default:
      return stay;
  }
}

/** No target of the wave can start or is running. Offline devices do not delay it once enough others have succeeded. */
function isExhausted(wave: Wave, successPercent: number): boolean {
  const { counts } = wave;
  if (counts.waiting > 0 || inFlight(counts) > 0) return false;
  return counts.offline === 0 || (counts.succeeded > 0 && hasEnoughSuccesses(wave, successPercent));
}

/** Reasons of targets that a person or a change of the fleet removed. They do not count for the share of success. */
const REMOVED_REASONS: readonly (string | null)[] = ['operator', 'left_selector', 'device_removed'];

/** Targets that count for the share of success. */
function countedForSuccess({ counts, causes }: Wave): number {
  const removed = causes.filter(({ state, reason }) => state === 'skipped' && REMOVED_REASONS.includes(reason));
  return removed.reduce((left, { count }) => left - count, totalCount(counts));
}

/** Whether the required share of the wave has succeeded. */
const hasEnoughSuccesses = (wave: Wave, successPercent: number): boolean =>
  wave.counts.succeeded * 100 >= countedForSuccess(wave) * successPercent;

const CAUSES_NAMED = 5;

/** Why a wave cannot pass, in a sentence; null when it can. A wave in which no device succeeded has proved nothing. */
function shortfall(wave: Wave, { name, successPercent }: WavePolicy): string | null {
  const { succeeded } = wave.counts;
  const ended = `Wave ${wave.ordinal + 1}${name ? ` (${name})` : ''} ended`;
  const total = totalCount(wave.counts);
  if (total > 0 && succeeded === 0) {
    return `${ended} and none of its ${total} devices succeeded: ${otherEnds(wave)}.`;
  }
  if (hasEnoughSuccesses(wave, successPercent)) return null;
  const part = `${succeeded} of ${countedForSuccess(wave)} devices succeeded (${share(succeeded, countedForSuccess(wave))} %)`;
  return `${ended} with ${part}, and ${successPercent} % are required: ${otherEnds(wave)}.`;
}

/** The ends of targets without success, the largest group first. */
function otherEnds({ counts, causes }: Wave): string {
  const named = causes
    .filter(({ state }) => state !== 'succeeded')
    .toSorted((a, b) => b.count - a.count)
    .slice(0, CAUSES_NAMED);
  const groups = TARGET_STATES.filter((state) => state !== 'succeeded' && counts[state] > 0).map((state) => {
    const reasons = named.flatMap((cause) => (cause.state === state && cause.reason !== null ? cause.reason : []));
    return `${counts[state]} ${state}${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`;
  });
  return groups.join(', ');
}

/** Why the rollout stops, in a sentence; null when it may continue. */
function stopReason(total: Counts, acknowledged: AcknowledgedEnds, { stop }: RolloutPolicy): string | null {
  if (stop === 'never') return null;
  const failed = failedCount(total) - acknowledged.failed;
  const finished = finishedCount(total) - acknowledged.finished;
  if (stop.failures !== undefined && failed >= stop.failures) {
    return `${failed} of ${finished} devices failed, and ${stop.failures} failures stop this rollout.`;
  }
  if (stop.percent !== undefined && finished >= stop.minimum && failed * 100 >= finished * stop.percent && failed > 0) {
    return `${failed} of ${finished} devices failed (${share(failed, finished)} %), and ${stop.percent} % stop this rollout.`;
  }
  return null;
}

const share = (part: number, whole: number): number => Math.round((part * 1_000) / whole) / 10;

/**
 * How many targets may start, limited by running devices, rate and bandwidth. Passed waves continue with devices that
 * were offline.
 */
function allowedStarts({ waves, startedInPace, bytesPerStart }: RolloutSnapshot, policy: RolloutPolicy, total: Counts) {
  const started = waves.filter(({ state }) => state !== 'waiting' && state !== 'failed');
  const { starts } = paceOf(policy, bytesPerStart);
  const count = Math.min(policy.concurrency - inFlight(total), starts - startedInPace);
  const upTo = started.at(-1)?.ordinal ?? -1;
  return { startBudget: { upTo, count: upTo < 0 ? 0 : Math.max(0, count) } };
}

/**
 * The actions of people that change the state, and the states in which each is possible. `resume` also acknowledges the
 * failures so far and counts failed waves as passed. `promote` and `skip` change no state, so they are not here.
 */
const VERBS = {
  submit: { from: ['draft'], to: 'awaiting_approval' },
  approve: { from: ['awaiting_approval'], to: 'scheduled' },
  reject: { from: ['awaiting_approval'], to: 'draft' },
  start: { from: ['draft'], to: 'scheduled' }, // and to running when its time has come, which may be at once
  pause: { from: ['scheduled', 'running'], to: 'paused' },
  resume: { from: ['paused'], to: 'scheduled' },
  abort: { from: ['draft', 'awaiting_approval', 'scheduled', 'running', 'paused'], to: 'aborting' },
  retry: { from: ['finished', 'paused', 'running'], to: 'scheduled' }, // of targets that did not succeed
} as const satisfies Record<string, { from: readonly RolloutState[]; to: RolloutState }>;
export type RolloutVerb = keyof typeof VERBS;
export const ROLLOUT_VERBS = Object.keys(VERBS) as readonly RolloutVerb[];

/** The state after a verb; null when it is not possible in this state. A running rollout is not scheduled again. */
export function stateAfter(verb: RolloutVerb, state: RolloutState): RolloutState | null {
  const { from, to } = VERBS[verb];
  if (!(from as readonly RolloutState[]).includes(state)) return null;
  return state === 'running' && to === 'scheduled' ? 'running' : to;
}

export const statesFor = (verb: RolloutVerb): readonly RolloutState[] => VERBS[verb].from;

export interface JobEnd {
  readonly outcome: 'succeeded' | 'failed' | 'not_executed' | 'unknown' | 'cancelled';
  readonly code: string | null;
  /** Whether a retry may succeed, as after a busy device or a broken connection. */
  readonly isRetryable: boolean;
  readonly wasOffline: boolean;
}

/** The attempts of a target so far. */
export interface TargetHistory {
  readonly tries: number;
  /** When it was first found offline in a row, in milliseconds since 1970; null when it was online. */
  readonly offlineSince: number | null;
  /** How often in a row. */
  readonly offlineChecks: number;
}

export type TargetChange =
  | { readonly state: 'waiting'; readonly wakeAt: number; readonly reason: string }
  | { readonly state: 'offline'; readonly wakeAt: number; readonly reason: string }
  | { readonly state: 'succeeded' | 'failed' | 'unknown' | 'skipped' | 'cancelled'; readonly reason: string | null };

/** Pause before the first retry of an offline device; each next one is twice as long. */
const OFFLINE_FIRST_MS = 60_000;
const OFFLINE_LONGEST_MS = 3_600_000;

/** Pause before a retry of a device whose job failed. */
const RETRY_MS = 60_000;

/** The next state of a target whose job ended. After `unknown` it is not retried: the device may have been changed. */
export function afterJob(target: TargetHistory, end: JobEnd, policy: RolloutPolicy, now: number): TargetChange {
  switch (end.outcome) {
    case 'succeeded':
      return { state: 'succeeded', reason: null };
    case 'unknown':
      return { state: 'unknown', reason: end.code ?? 'unknown' };
    case 'cancelled':
      return { state: 'cancelled', reason: end.code ?? 'cancelled' };
    case 'not_executed':
    case 'failed':
      if (end.wasOffline && end.outcome === 'not_executed') return whenOffline(target, policy, now);
      if (end.isRetryable && target.tries <= policy.retries) {
        return { state: 'waiting', wakeAt: now + RETRY_MS, reason: end.code ?? 'retry' };
      }
      return { state: 'failed', reason: end.code ?? end.outcome };
  }
}

/** The next state of a target whose device is offline: retries with doubling pauses, until the policy gives it up. */
export function whenOffline(target: TargetHistory, { offline }: RolloutPolicy, now: number): TargetChange {
  const since = target.offlineSince ?? now;
  if (offline.action === 'skip') return { state: 'skipped', reason: 'offline' };
  const giveUpAt = since + offline.waitHours * 3_600_000;
  if (now >= giveUpAt) return { state: 'skipped', reason: 'offline_too_long' };
  const pauseMs = Math.min(OFFLINE_FIRST_MS * 2 ** Math.min(target.offlineChecks, 30), OFFLINE_LONGEST_MS);
  return { state: 'offline', wakeAt: Math.min(now + pauseMs, giveUpAt), reason: 'device_offline' };
}
