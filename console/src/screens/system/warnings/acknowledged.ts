/*
 * Warnings of the installation that the person at this browser knows. They stay there: the gateway itself has no place for
 * them, and System shows all of them to all. A warning whose text has changed is news.
 */

const KEY = 'fleetgate.acknowledged-warnings';

export type Acknowledged = Readonly<Record<string, string>>;

/** The texts that are known, by the code of the warning. */
export function acknowledged(): Acknowledged {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Acknowledged) : {};
  } catch {
    return {}; // a browser that keeps nothing, or something else under this name
  }
}

export function keepAcknowledged({ code, text }: { code: string; text: string }): Acknowledged {
  const all = { ...acknowledged(), [code]: text };
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // it is known until the page is left
  }
  return all;
}
