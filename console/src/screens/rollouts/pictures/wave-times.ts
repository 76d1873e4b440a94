import { type components } from '../../../../../src/api-client/api-client.js';
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
  /** Null: it cannot be said yet. */
  readonly work: Span | null;
  /** The time after it in which nothing starts. */
  readonly soak: Span | null;
  readonly isGuess: boolean;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** No picture is longer. */
const DAYS_MAX = 31;

type Windows = Schemas['RolloutPolicy']['windows'];

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

interface Policy {
  readonly concurrency?: number | undefined;
  readonly waves?: readonly { readonly soakMinutes?: number | undefined }[] | undefined;
}

/** The waves of a plan, one after the other over the estimated time; windows that are closed are passed over. */
export function plannedSpans(
  { estimate, waves }: Pick<Schemas['RolloutPlan'], 'estimate' | 'waves'>,
  { concurrency = 50, waves: rules = [] }: Policy,
  open: readonly Span[] | null,
): readonly WaveSpan[] {
  if (!estimate)
    return waves.map(({ name, total }) => ({ name, devices: total, work: null, soak: null, isGuess: true }));
  const [begin, end] = [Date.parse(estimate.beginsAt), Date.parse(estimate.endsAt)];
  const soakMs = waves.map(({ total }, at) => (total > 0 ? (rules[at]?.soakMinutes ?? 0) * MINUTE_MS : 0));
  const batches = waves.map(({ total }) => Math.ceil(total / concurrency));
  const workMs = openMs({ from: begin, to: end }, open) - (open ? 0 : sum(soakMs));
  const unit = Math.max(0, workMs) / Math.max(1, sum(batches));
  let at = begin;
  return waves.map(({ name, total }, index) => {
    const from = nextOpen(at, open);
    const to = Math.max(from, Math.min(end, later(from, unit * (batches[index] ?? 0), open)));
    at = Math.max(to, Math.min(end, to + (soakMs[index] ?? 0)));
    return { name, devices: total, work: { from, to }, soak: at > to ? { from: to, to: at } : null, isGuess: true };
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

/** The waves of a rollout: what ran, and what is left at the speed until now. @param now in milliseconds */
export function liveSpans(
  {
    waves,
    startedAt,
    endedAt,
    policy,
  }: Pick<Schemas['RolloutWithWaves'], 'waves' | 'startedAt' | 'endedAt' | 'policy'>,
  now: number,
): readonly WaveSpan[] {
  const done = sum(waves.map(({ counts }) => counts.succeeded + counts.failed + counts.unknown));
  const msEach = startedAt && done > 0 ? (now - Date.parse(startedAt)) / done : null;
  let at: number | null = now;
  return waves.map((wave) => {
    const devices = sum(Object.values(wave.counts));
    const left = devices - wave.counts.succeeded - wave.counts.failed - wave.counts.unknown - wave.counts.skipped;
    const soakMs = (policy.waves[wave.ordinal]?.soakMinutes ?? 0) * MINUTE_MS;
    if (wave.startedAt) {
      const from = Date.parse(wave.startedAt);
      const soakTo = wave.soakUntil ? Date.parse(wave.soakUntil) : null;
      const to = soakTo ? soakTo - soakMs : wave.endedAt ? Date.parse(wave.endedAt) : now;
      at = wave.endedAt || msEach === null ? at : now + left * msEach;
      const soak = soakTo && soakMs > 0 ? { from: to, to: soakTo } : null;
      return { name: wave.name, devices, work: { from, to: Math.max(from, to) }, soak, isGuess: false };
    }
    if (endedAt || at === null || msEach === null || !startedAt)
      return { name: wave.name, devices, work: null, soak: null, isGuess: true };
    const work: Span = { from: at, to: at + left * msEach };
    at = work.to + soakMs;
    return { name: wave.name, devices, work, soak: soakMs > 0 ? { from: work.to, to: at } : null, isGuess: true };
  });
}
