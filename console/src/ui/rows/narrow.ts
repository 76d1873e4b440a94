import { createContext, useContext, useSyncExternalStore } from 'react';

/* What differs on a narrow screen beyond the style. */

/** The width of the styles (`styles/base/tables.css`). */
const NARROW = matchMedia('(max-width: 700px)');

function watch(watcher: () => void): () => void {
  NARROW.addEventListener('change', watcher);
  return () => NARROW.removeEventListener('change', watcher);
}

/** Whether rows have two lines and one menu. */
export const useNarrow = (): boolean => useSyncExternalStore(watch, () => NARROW.matches);

/** Whether it stands in the grey line of a row: the row as a whole opens its detail, so there are no links in it. */
export const InLine = createContext(false);

export const useInLine = (): boolean => useContext(InLine);
