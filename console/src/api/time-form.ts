import { useSyncExternalStore } from 'react';

/* Whether times are shown as `4 min ago` or as a date: a choice of the reader, kept in the browser. */

export const TIME_FORMS = ['relative', 'absolute'] as const;
export type TimeForm = (typeof TIME_FORMS)[number];

const KEY = 'fleetgate.times';
const CHANGED = 'fleetgate:times';

const chosen = (): TimeForm => (localStorage.getItem(KEY) === 'absolute' ? 'absolute' : 'relative');

function watch(watcher: () => void): () => void {
  addEventListener(CHANGED, watcher);
  return () => removeEventListener(CHANGED, watcher);
}

/** The chosen form, also when another part of the page chooses one. */
export const useTimeForm = (): TimeForm => useSyncExternalStore(watch, chosen);

export function chooseTimeForm(form: TimeForm): void {
  localStorage.setItem(KEY, form);
  dispatchEvent(new Event(CHANGED));
}
