import { useCallback, useState } from 'react';
import { type DeviceFilter } from './device-rows.js';

/* Which devices the person has chosen, as a selector: a bulk action takes a selector and a digest, never a page of ids. */

/** A selector has at most 4,000 terms and 16,000 characters; an id takes 42 of them. */
const IDS_MAX = 300;

export interface Choice {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly count: number;
  /** Null where the choice is no selector: a free search, or too many single rows. */
  readonly selector: string | null;
  toggle: (id: string) => void;
  toggleAll: () => void;
  clear: () => void;
}

export function useChoice(filter: DeviceFilter, total: number): Choice {
  const [chosen, setChosen] = useState<{ ids: ReadonlySet<string>; all: DeviceFilter | null }>({
    ids: new Set(),
    all: null,
  });
  const isAll = chosen.all === filter; // another filter is another set of devices
  const toggle = useCallback(
    (id: string) =>
      setChosen(({ ids }) => {
        const next = new Set(ids);
        if (!next.delete(id)) next.add(id);
        return { ids: next, all: null };
      }),
    [],
  );
  const { ids } = chosen;
  return {
    ids,
    isAll,
    count: isAll ? total : ids.size,
    selector: isAll ? selectorOf(filter) : ids.size > IDS_MAX ? null : [...ids].map((id) => `id:${id}`).join(' | '),
    toggle,
    toggleAll: () => setChosen({ ids: new Set(), all: isAll || ids.size > 0 ? null : filter }),
    clear: () => setChosen({ ids: new Set(), all: null }),
  };
}

/** The words of a free search are in no selector. */
const selectorOf = ({ q, selector }: DeviceFilter) => (q ? null : (selector ?? 'all'));
