import { type RouterHistory, useRouterState } from '@tanstack/react-router';
import { type Dispatch, type SetStateAction, useEffect, useState } from 'react';

/*
 * What a screen has besides its address, for the way back to it: where it was scrolled to, and what was chosen. It belongs to
 * an entry of the browser's history, by the entry's place in it. A new screen begins without.
 */

const entries = new Map<number, Map<string, unknown>>();

interface Placed {
  readonly state: object;
}

/** The place of a location in the history. */
export const placeInHistory = ({ state }: Placed): number =>
  Number((state as Readonly<Record<string, unknown>>)['__TSR_index'] ?? 0);

export function remember(entry: number, name: string, value: unknown): void {
  const known = entries.get(entry) ?? new Map<string, unknown>();
  entries.set(entry, known.set(name, value));
}

export const recall = (entry: number, name: string): unknown => entries.get(entry)?.get(name);

/** Forgets what the history itself forgets: a screen that is opened takes the place of all that were ahead. */
export function forgetAhead(history: RouterHistory): () => void {
  return history.subscribe(({ action, location }) => {
    if (action.type !== 'PUSH') return;
    for (const entry of entries.keys()) if (entry >= placeInHistory(location)) entries.delete(entry);
  });
}

/** As `useState`, and a way back to the screen has the value that it had. */
export function useRemembered<Value>(name: string, first: Value): [Value, Dispatch<SetStateAction<Value>>] {
  const place = useRouterState({ select: ({ location }) => placeInHistory(location) });
  const [entry] = useState(place); // while the next screen is loaded, the place is already its one
  const [value, setValue] = useState(() => (recall(entry, name) as Value | undefined) ?? first);
  useEffect(() => remember(entry, name, value), [entry, name, value]);
  return [value, setValue];
}
