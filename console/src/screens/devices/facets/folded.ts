import { useState } from 'react';

const KEY = 'fleetgate.facets';

const stored = (): readonly string[] => (localStorage.getItem(KEY) ?? '').split(',').filter(Boolean);

/** The groups whose values a person has folded away. The browser remembers them. */
export function useFolded() {
  const [folded, setFolded] = useState(stored);
  const fold = (name: string, isOpen: boolean) => {
    const others = folded.filter((one) => one !== name);
    if (isOpen === (others.length === folded.length)) return; // it is so already
    const next = isOpen ? others : [...others, name];
    localStorage.setItem(KEY, next.join(','));
    setFolded(next);
  };
  return { isFolded: (name: string) => folded.includes(name), fold };
}
