/* Devices, rollouts and templates that a person has opened lately, and where the palette led to: kept for the tab alone, since names of devices are not for the next person. */

export interface Recent {
  readonly title: string;
  /** An address below /console. */
  readonly to: string;
}

const KEY = 'fleetgate.recent';
const MAX = 6;

const isRecent = (value: unknown): value is Recent =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Recent).title === 'string' &&
  typeof (value as Recent).to === 'string' &&
  (value as Recent).to.startsWith('/');

/** @param person whose they are: another one who signs in within the tab has none */
export function recentsOf(person: string): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    const { of, items } = kept as { of?: unknown; items?: unknown };
    return of === person && Array.isArray(items) ? items.filter(isRecent).slice(0, MAX) : [];
  } catch {
    return []; // none yet, or storage is off
  }
}

export function rememberRecent(person: string, recent: Recent): void {
  const items = [recent, ...recentsOf(person).filter(({ to }) => to !== recent.to)].slice(0, MAX);
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ of: person, items }));
  } catch {
    return; // storage is off or full: nothing is remembered
  }
}
