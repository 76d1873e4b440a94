import { type RefObject, useEffect, useRef, useState } from 'react';

const FIELD = 'input, select, textarea';

/**
 * The focus goes to the first field of a row that was added. Rows carry `data-row`.
 * @returns what holds the rows, and what is called when one is added
 */
export function useAddedRow<Holder extends HTMLElement>(): [RefObject<Holder | null>, () => void] {
  const holder = useRef<Holder>(null);
  const [added, setAdded] = useState(0);
  useEffect(() => {
    if (added === 0) return;
    const rows = holder.current?.querySelectorAll(':scope > [data-row]') ?? [];
    [...rows].at(-1)?.querySelector<HTMLElement>(FIELD)?.focus();
  }, [added]);
  return [holder, () => setAdded((count) => count + 1)];
}
