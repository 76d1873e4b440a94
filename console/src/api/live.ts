import { useEffect, useSyncExternalStore } from 'react';
import { api } from './client.js';
import { queries } from './queries.js';
import { type GatewayEvent } from '../../../src/api-client/events.js';

/*
 * One stream of events for all screens. Events are gathered and applied four times a second; a hidden page applies them when
 * it is shown again. A paused page counts them. The client opens a broken stream again after the last event, so none is lost.
 */

const APPLY_EVERY_MS = 250;

/** At most so many events wait; with more, everything is read again instead. */
const WAITING_MAX = 2_000;

export interface LiveState {
  readonly status: 'off' | 'live' | 'broken' | 'paused';
  /** Events that came while paused. */
  readonly waiting: number;
  /** Since when the stream is broken, in milliseconds. */
  readonly brokenSince: number | null;
}

type Listener = (events: readonly GatewayEvent[]) => void;

/** The nouns of lists and objects that an event of a type may have changed. */
const REFRESHED: Readonly<Record<string, readonly string[]>> = {
  device: ['devices', 'device'],
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

let state: LiveState = { status: 'off', waiting: 0, brokenSince: null };
let gathered: GatewayEvent[] = [];
let tooMany = false;
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
  if (state.status === 'off') set({ status: 'live' });
  const onBreak = () => {
    if (state.brokenSince === null)
      set({ brokenSince: Date.now(), ...(state.status === 'paused' ? {} : { status: 'broken' }) });
  };
  try {
    for await (const event of api.events({ signal, onBreak, onOpen: restored })) take(event);
  } catch {
    if (!signal.aborted) set({ status: 'broken', brokenSince: state.brokenSince ?? Date.now() });
  } finally {
    clearInterval(timer);
  }
}

function restored(): void {
  if (state.brokenSince === null) return;
  set({ brokenSince: null, ...(state.status === 'paused' ? {} : { status: 'live' }) });
  void queries.invalidateQueries();
}

function take(event: GatewayEvent): void {
  if (gathered.length < WAITING_MAX) gathered.push(event);
  else tooMany = true;
}

function apply(): void {
  if (gathered.length === 0 && !tooMany) return;
  if (state.status === 'paused') return void (state.waiting === gathered.length || set({ waiting: gathered.length }));
  if (document.hidden) return;
  const events = gathered;
  gathered = [];
  if (tooMany) void queries.invalidateQueries();
  tooMany = false;
  for (const listener of listeners) listener(events);
  const nouns = new Set(events.flatMap(({ type }) => REFRESHED[type.slice(0, type.indexOf('.'))] ?? []));
  void queries.invalidateQueries({
    predicate: ({ queryKey }) => nouns.has(String(queryKey[0])),
    refetchType: 'active',
  });
}

/** Stops and continues the application of events. */
export function setPaused(paused: boolean): void {
  set(paused ? { status: 'paused' } : { status: state.brokenSince === null ? 'live' : 'broken', waiting: 0 });
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
