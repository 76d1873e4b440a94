import { type components } from '../../../../../src/api-client/api-client.js';
import { endedOf, takingPart } from '../forecast.js';
import { openingsByDay } from '../openings.js';

/* When each wave of a rollout runs: as planned, or as it was until now with what is left at the same speed. */

type Schemas = components['schemas'];

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface WaveSpan {
  readonly name: string;
  readonly devices: number;
  /** What ran, until now or to its end; null: nothing yet. */
  readonly work: Span | null;
  /** What is expected: all of it, or what is left; null: nothing, or it cannot be said yet. */
  readonly rest: Span | null;
  /** The time after it in which nothing starts. */
  readonly soak: Span | null;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** No picture is longer. */
const DAYS_MAX = 31;

type Windows = Schemas['RolloutPolicy']['windows'];

/** So far ahead are windows looked up for what is left of a rollout. */
const AHEAD_MS = DAYS_MAX * DAY_MS;

/** The spans in which windows are open, in the time zone of the policy; null: at any time. */
export function openSpans(windows: Windows, timeZone: string, { from, to }: Span): readonly Span[] | null {
  if (windows.length === 0) return null;
  const first = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone }).format(from - DAY_MS);
  const days = Math.min(DAYS_MAX, Math.ceil((to - from) / DAY_MS) + 3);
  return openingsByDay(windows, first, days)
    .flatMap(({ date, openings }) => {
      const midnight = midnightIn(timeZone, date);
      return openings.map((one) => ({ from: midnight + one.from * MINUTE_MS, to: midnight + one.to * MINUTE_MS }));
    })
    .filter((one) => one.to > from && one.from < to);
}

function midnightIn(timeZone: string, date: string): number {
  const utc = new Date(`${date}T00:00:00Z`).getTime();
  const parts = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone }).format(utc);
  return utc - (new Date(`${parts.replace(' ', 'T')}Z`).getTime() - utc);
}

/** The open spans from now on, for what is left of a rollout. */
export const openAhead = ({ windows, timeZone }: { windows: Windows; timeZone: string }, now: number) =>
  openSpans(windows, timeZone, { from: now, to: now + AHEAD_MS });

interface Policy {
  readonly concurrency?: number | undefined;
  readonly waves?: readonly { readonly soakMinutes?: number | undefined }[] | undefined;
}

/** The time that half of the jobs took at most; null: none has ended. */
export function medianMs(
  jobs: readonly { readonly startedAt: string | null; readonly endedAt: string | null }[],
): number | null {
  const all = jobs.flatMap(({ startedAt, endedAt }) =>
    startedAt && endedAt ? [Date.parse(endedAt) - Date.parse(startedAt)] : [],
  );
  return median(all);
}

/** Null: there are none. */
export const median = (all: readonly number[]): number | null =>
  all.toSorted((one, other) => one - other)[Math.floor((all.length - 1) / 2)] ?? null;

/**
 * The waves of a plan, one after the other over the estimated time; windows that are closed are passed over.
 * @param deviceMs how long one device takes; null: as long as the plan allows
 */
export function plannedSpans(
  { estimate, waves }: Pick<Schemas['RolloutPlan'], 'estimate' | 'waves'>,
  { concurrency = 50, waves: rules = [] }: Policy,
  open: readonly Span[] | null,
  deviceMs: number | null = null,
): readonly WaveSpan[] {
  if (!estimate) return waves.map(({ name, total }) => ({ name, devices: total, work: null, rest: null, soak: null }));
  const [begin, latest] = [Date.parse(estimate.beginsAt), Date.parse(estimate.endsAt)];
  const end = deviceMs === null ? latest : Number.POSITIVE_INFINITY;
  const soakMs = waves.map(({ total }, at) => (total > 0 ? (rules[at]?.soakMinutes ?? 0) * MINUTE_MS : 0));
  const batches = waves.map(({ total }) => Math.ceil(total / concurrency));
  const workMs = openMs({ from: begin, to: latest }, open) - (open ? 0 : sum(soakMs));
  const unit = deviceMs ?? Math.max(0, workMs) / Math.max(1, sum(batches));
  let at = begin;
  return waves.map(({ name, total }, index) => {
    if (total === 0) return { name, devices: total, work: null, rest: null, soak: null };
    const from = nextOpen(at, open);
    const to = Math.max(from, Math.min(end, later(from, unit * (batches[index] ?? 0), open)));
    at = Math.max(to, Math.min(end, to + (soakMs[index] ?? 0)));
    return { name, devices: total, work: null, rest: { from, to }, soak: at > to ? { from: to, to: at } : null };
  });
}

const sum = (all: readonly number[]): number => all.reduce((before, one) => before + one, 0);

function openMs({ from, to }: Span, open: readonly Span[] | null): number {
  if (!open) return to - from;
  return sum(open.map((one) => Math.max(0, Math.min(to, one.to) - Math.max(from, one.from))));
}

function nextOpen(at: number, open: readonly Span[] | null): number {
  const next = open?.find(({ to }) => to > at);
  return next ? Math.max(at, next.from) : at;
}

/** The time after so much open time. */
function later(from: number, ms: number, open: readonly Span[] | null): number {
  let left = ms;
  for (const one of open ?? []) {
    const begin = Math.max(from, one.from);
    if (one.to <= begin) continue;
    if (one.to - begin >= left) return begin + left;
    left -= one.to - begin;
  }
  return from + ms;
}

type Rollout = Schemas['RolloutWithWaves'];
type Live = Pick<Rollout, 'waves' | 'state' | 'startedAt' | 'endedAt' | 'counts' | 'policy'>;
type Wave = Rollout['waves'][number];

/** Devices that have ended, before anything is foreseen: one alone says nothing of the others. */
export const FORESEEN_FROM = 2;

/** The time of one device at the speed until now, without the soaks; null where that cannot be said. */
function paceOf({ state, startedAt, counts, waves, policy }: Live, now: number): number | null {
  const done = endedOf(counts);
  if (state !== 'running' || startedAt === null || done < FORESEEN_FROM) return null;
  const begun = waves.flatMap((wave) => workOf(wave, policy, now) ?? []);
  return sum(begun.map(({ from, to }) => to - from)) / done;
}

const soakMsOf = ({ ordinal }: Wave, policy: Live['policy']): number =>
  (policy.waves[ordinal]?.soakMinutes ?? 0) * MINUTE_MS;

/** From its first device to its last one, or until now. */
function workOf(wave: Wave, policy: Live['policy'], now: number): Span | null {
  if (!wave.startedAt) return null;
  const from = Date.parse(wave.startedAt);
  const ended = wave.soakUntil ? Date.parse(wave.soakUntil) - soakMsOf(wave, policy) : null;
  return { from, to: Math.max(from, ended ?? (wave.endedAt ? Date.parse(wave.endedAt) : now)) };
}

/**
 * The waves of a rollout: what ran, and what is left at the speed until now. A wave that runs has both.
 * @param now in milliseconds
 * @param open the spans in which devices may start; null: at any time
 */
export function liveSpans(rollout: Live, now: number, open: readonly Span[] | null = null): readonly WaveSpan[] {
  const pace = paceOf(rollout, now);
  let at = now;
  return rollout.waves.map((wave) => {
    const { name, counts } = wave;
    const devices = takingPart(counts);
    const work = workOf(wave, rollout.policy, now);
    const soakMs = soakMsOf(wave, rollout.policy);
    if (work && (wave.endedAt !== null || wave.soakUntil !== null)) {
      const soak = wave.soakUntil && soakMs > 0 ? { from: work.to, to: Date.parse(wave.soakUntil) } : null;
      at = Math.max(at, soak?.to ?? 0);
      return { name, devices, work, rest: null, soak };
    }
    const left = devices - endedOf(counts);
    if (pace === null || left <= 0) return { name, devices, work, rest: null, soak: null };
    const from = nextOpen(at, open);
    const rest = { from, to: later(from, pace * left, open) };
    at = rest.to + soakMs;
    return { name, devices, work, rest, soak: soakMs > 0 ? { from: rest.to, to: at } : null };
  });
}

/** When a running rollout ends, by the same spans that are drawn; null where that cannot be said. @param now in milliseconds */
export function forecastEnd(rollout: Live, now: number, open: readonly Span[] | null = null): number | null {
  const left = takingPart(rollout.counts) - endedOf(rollout.counts);
  if (left <= 0 || paceOf(rollout, now) === null) return null;
  const ends = liveSpans(rollout, now, open).map(({ rest, soak }) => soak?.to ?? rest?.to ?? now);
  return Math.max(...ends);
}
