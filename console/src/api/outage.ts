import { useSyncExternalStore } from 'react';
import { ApiError, ConnectionError } from './client.js';

/*
 * The gateway cannot be reached, or cannot reach its database. The screens keep what they have read. One request asks again
 * until it is answered, then all is read again.
 */

export interface Outage {
  readonly error: unknown;
  /** When it was noticed, in milliseconds. */
  readonly since: number;
  /** When the gateway is asked again, in milliseconds; null: now. */
  readonly nextAt: number | null;
}

const FIRST_PAUSE_MS = 3_000;
const PAUSE_MAX_MS = 30_000;

let outage: Outage | null = null;
let pauseMs = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
let look: () => Promise<unknown> = () => Promise.resolve();
const watchers = new Set<() => void>();

function set(value: Outage | null): void {
  outage = value;
  for (const watcher of watchers) watcher();
}

/** Whether an error says that nothing can be read, whatever is asked. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return error.code === 'database_unavailable' || (error.code === 'unexpected_answer' && error.status >= 502);
}

/** Is told each error of a reading. @param asksAgain fails as long as there is no answer */
export function noticeOutage(error: unknown, asksAgain: () => Promise<unknown>): void {
  if (outage || !isOutage(error)) return;
  look = asksAgain;
  pauseMs = FIRST_PAUSE_MS;
  wait(error, Date.now());
}

function wait(error: unknown, since: number): void {
  set({ error, since, nextAt: Date.now() + pauseMs });
  timer = setTimeout(() => void askNow(), pauseMs);
}

/** Asks the gateway now. */
export async function askNow(): Promise<void> {
  const before = outage;
  if (before?.nextAt === null || !before) return;
  clearTimeout(timer);
  set({ ...before, nextAt: null });
  try {
    await look();
    set(null);
  } catch (error) {
    pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS);
    if (isOutage(error)) wait(error, before.since);
    else set(null); // it has answered
  }
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

export const useOutage = (): Outage | null => useSyncExternalStore(watch, () => outage);

/** Resolves when there is no outage. */
export function outageOver(): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      if (outage) return;
      stop();
      resolve();
    };
    const stop = watch(done);
    done();
  });
}
