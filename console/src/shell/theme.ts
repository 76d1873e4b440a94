import { useSyncExternalStore } from 'react';

/* The choice of the theme is kept in the browser; `public/theme.js` applies it before the first paint. */

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'fleetgate.theme';
const CHANGED = 'fleetgate:theme';

function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

function watch(watcher: () => void): () => void {
  addEventListener(CHANGED, watcher);
  return () => removeEventListener(CHANGED, watcher);
}

/** The chosen theme, also when another part of the page chooses one. */
export const useTheme = (): Theme => useSyncExternalStore(watch, chosenTheme);

/** The theme in which the page is drawn: with `system` the system may change it while the page is open. */
export const useShownTheme = (): string => useSyncExternalStore(watchShown, shownTheme);

const shownTheme = (): string => document.documentElement.dataset['theme'] ?? 'light';

function watchShown(watcher: () => void): () => void {
  const observer = new MutationObserver(watcher);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  dispatchEvent(new Event(CHANGED));
}
