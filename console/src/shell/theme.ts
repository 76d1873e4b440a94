/* The choice of the theme is kept in the browser; `public/theme.js` applies it before the first paint. */

export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'fleetgate.theme';

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === stored) ?? 'system';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  dispatchEvent(new Event('fleetgate:theme'));
}
