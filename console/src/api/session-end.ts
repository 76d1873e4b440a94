import { useSyncExternalStore } from 'react';
import { isRefused } from './problems.js';

/*
 * A session that ends while its person works. They sign in over the screen that they have, so nothing that they typed is lost;
 * what was refused is then sent again.
 */

export interface EndedSession {
  /** @param isSame the person who signed in is the one whose session ended */
  end: (isSame: boolean) => void;
}

let ended: EndedSession | null = null;
let waiting: Promise<boolean> | null = null;
const watchers = new Set<() => void>();

function set(value: EndedSession | null): void {
  ended = value;
  for (const watcher of watchers) watcher();
}

/** Whether the gateway said that there is no session. */
export const isSessionEnded = (error: unknown): boolean => isRefused(error, 'unauthenticated');

/** Asks the person to sign in. @returns whether the same person has done it */
export function signInAgain(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    const end = (isSame: boolean) => {
      waiting = null;
      set(null);
      resolve(isSame);
    };
    set({ end });
  });
  return waiting;
}

/** The end of a session that waits for a sign-in. */
export const useEndedSession = (): EndedSession | null =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => ended,
  );

/* A page that is opened after the end of a session says so; only the browser knows that there was one. */

const KEY = 'fleetgate.signed-in';

export const rememberSession = (): void => localStorage.setItem(KEY, 'yes');

/** @returns whether there was a session in this browser */
export function forgetSession(): boolean {
  const had = localStorage.getItem(KEY) !== null;
  localStorage.removeItem(KEY);
  return had;
}
