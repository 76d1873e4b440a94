import { useEffect, useSyncExternalStore } from 'react';
import { delay } from '../../../src/api-client/pace.js';
import { api } from './client.js';
import { gatewayNow } from './clock.js';
import { queries } from './queries.js';
import { isSessionEnded, signInAgain } from './session-end.js';
import { type GatewayEvent } from '../../../src/api-client/events.js';

/*
 * One stream of events for all screens. Events are gathered and applied four times a second; a hidden page applies them when
 * it is shown again. A paused page counts them. The client opens a broken stream again after the last event, so none is lost.
 */

const APPLY_EVERY_MS = 250;

/** Lists are read again at most so often; what an event itself says is shown at once (`useLiveEvents`). */
const REFRESH_EVERY_MS = 2_000;

/** The counts of a large fleet cost more than a page of it. */
const DEVICES_EVERY_MS = 5_000;

/** After a refused stream. */
const REFUSED_PAUSE_MS = 15_000;

/** At most so many events wait; with more, everything is read again instead. */
const WAITING_MAX = 2_000;

export interface LiveState {
  /** `off`: no stream was open so far. */
  readonly status: 'off' | 'live' | 'broken' | 'paused';
  /** Events that came while paused. */
  readonly waiting: number;
  /** Since when the stream is broken, in milliseconds. */
  readonly brokenSince: number | null;
  /** Since when the screens are held still, in milliseconds. */
  readonly pausedSince: number | null;
}

type Listener = (events: readonly GatewayEvent[]) => void;

/** The nouns of lists and objects that an event of a type may have changed. */
const REFRESHED: Readonly<Record<string, readonly string[]>> = {
  device: ['devices', 'device'],
  alert: ['alerts', 'alert-rules'],
  job: ['jobs', 'job'],
  rollout: ['rollouts', 'rollout'],
  fanout: ['fan-outs', 'fan-out'],
  backup: ['backups'],
  lock: ['locks'],
  approval: ['approvals'],
  artifact: ['artifacts'],
  audit: ['audit'],
  schedule: ['schedules'],
  webhook: ['webhooks'],
  discovery: ['discovery'],
  system: ['system'],
};

let state: LiveState = { status: 'off', waiting: 0, brokenSince: null, pausedSince: null };
let gathered: GatewayEvent[] = [];
let tooMany = false;
const changed = new Set<string>();
const readAt = new Map<string, number>();
const watchers = new Set<() => void>();
const listeners = new Set<Listener>();

function set(change: Partial<LiveState>): void {
  state = { ...state, ...change };
  for (const watcher of watchers) watcher();
}

/** Follows the stream until the signal aborts. */
export async function followLive(signal: AbortSignal): Promise<void> {
  const timer = setInterval(apply, APPLY_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
  const onBreak = () => {
    if (state.brokenSince === null)
      set({ brokenSince: gatewayNow(), ...(state.status === 'paused' ? {} : { status: 'broken' }) });
  };
  while (!signal.aborted) {
    try {
      for await (const event of api.events({ signal, onBreak, onOpen: restored })) take(event);
    } catch (refusal) {
      if (isSessionEnded(refusal)) void signInAgain();
      // The gateway refused the stream. The next one begins now, and `restored` reads everything again.
      onBreak();
      await delay(REFUSED_PAUSE_MS, signal).catch(() => undefined);
    }
  }
}

function restored(): void {
  if (state.status === 'off') set({ status: 'live' });
  if (state.brokenSince === null) return;
  set({ brokenSince: null, ...(state.status === 'paused' ? {} : { status: 'live' }) });
  void queries.invalidateQueries();
}

function take(event: GatewayEvent): void {
  if (gathered.length < WAITING_MAX) gathered.push(event);
  else tooMany = true;
}

function apply(): void {
  if (state.status === 'paused') {
    if (state.waiting !== gathered.length) set({ waiting: gathered.length });
    return;
  }
  if (document.hidden) return;
  const events = gathered;
  gathered = [];
  if (events.length > 0) for (const listener of listeners) listener(events);
  for (const { type } of events) {
    for (const noun of REFRESHED[type.slice(0, type.indexOf('.'))] ?? []) changed.add(noun);
  }
  if (tooMany) void queries.invalidateQueries();
  tooMany = false;
  refresh(Date.now());
}

/** Reads again what changed and is on the screen. */
function refresh(now: number): void {
  const due = [...changed].filter((noun) => now - (readAt.get(noun) ?? 0) >= pauseOf(noun));
  if (due.length === 0) return;
  for (const noun of due) {
    changed.delete(noun);
    readAt.set(noun, now);
  }
  void queries.invalidateQueries({ predicate: ({ queryKey }) => due.includes(String(queryKey[0])) });
}

const pauseOf = (noun: string) => (noun === 'devices' ? DEVICES_EVERY_MS : REFRESH_EVERY_MS);

/** Stops and continues the application of events. */
export function setPaused(paused: boolean): void {
  const status = state.brokenSince === null ? 'live' : 'broken';
  set(paused ? { status: 'paused', pausedSince: gatewayNow() } : { status, waiting: 0, pausedSince: null });
}

export function useLive(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** Is called with the events of the last quarter of a second. @param listener keep it the same between two renderings */
export function useLiveEvents(listener: Listener): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}
