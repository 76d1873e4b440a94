import { useCallback } from 'react';
import { api } from '../../api/client.js';
import { useRemembered } from '../../ui/leaving/entry-memory.js';
import { selectorOfIds } from './choice-selector.js';
import { type DeviceFilter } from './device-rows.js';

/* Which devices the person has chosen, as a selector: a bulk action takes a selector and a digest, never a page of ids. */

/** A selector has at most 4,000 terms and 16,000 characters; an id takes 42 of them. */
export const IDS_MAX = 300;

const PAGE = 100;

/** The most rows that one range takes. */
const RANGE_MAX = 1_000;

export interface Choice {
  readonly isAll: boolean;
  /** Whether this device is chosen. */
  readonly has: (id: string) => boolean;
  /** How many devices of all were left out. */
  readonly without: number;
  readonly count: number;
  /** Null where the choice is no selector: too many single rows, or too many that a free search found. */
  readonly selector: string | null;
  toggle: (id: string) => void;
  /** Chooses the rows from one place of the list to another. */
  addRange: (from: number, to: number) => void;
  toggleAll: () => void;
  clear: () => void;
}

interface DeviceChoice {
  /** The chosen devices; with `all`, those that were left out of all. */
  readonly ids: ReadonlySet<string>;
  /** All devices of this filter. */
  readonly all: DeviceFilter | null;
}

const NONE: DeviceChoice = { ids: new Set(), all: null };

const isSame = (one: DeviceFilter | null, other: DeviceFilter): boolean =>
  one !== null && one.q === other.q && one.selector === other.selector;

/** A way back to the list has the choice that it had. */
export function useChoice(filter: DeviceFilter, sort: string, total: number): Choice {
  const [chosen, setChosen] = useRemembered('devices', NONE);
  const isAll = isSame(chosen.all, filter); // another filter is another set of devices
  const toggle = useCallback(
    (id: string) =>
      setChosen(({ ids, all }) => {
        const stays = all === null || isSame(all, filter);
        const next = new Set(stays ? ids : []);
        if (!next.delete(id)) next.add(id);
        return { ids: next, all: stays ? all : null };
      }),
    [filter, setChosen],
  );
  const addRange = useCallback(
    (from: number, to: number) => {
      const count = Math.min(to - from + 1, RANGE_MAX);
      void idsOf(filter, count, { sort, from })
        .then((found) => setChosen((now) => withAll(now, filter, found)))
        .catch(() => undefined); // the table says what is wrong
    },
    [filter, sort, setChosen],
  );
  const ids = isAll || chosen.all === null ? chosen.ids : NONE.ids;
  const toggleAll = () => {
    if (isAll || ids.size > 0) return setChosen(NONE);
    setChosen({ ids: new Set(), all: filter });
    // The words of a free search are in no selector, so these devices are chosen one by one.
    if (filter.q && total <= IDS_MAX) {
      void idsOf(filter, total)
        .then((found) => setChosen((now) => (isSame(now.all, filter) ? singly(found, now.ids) : now)))
        .catch(() => undefined); // the table says what is wrong, and the bar that these are no selector
    }
  };
  return {
    isAll,
    has: (id) => ids.has(id) !== isAll,
    without: isAll ? ids.size : 0,
    count: isAll ? Math.max(0, total - ids.size) : ids.size,
    selector: ids.size > IDS_MAX ? null : isAll ? allBut(filter, ids) : selectorOfIds(ids),
    toggle,
    addRange,
    toggleAll,
    clear: () => setChosen(NONE),
  };
}

/** A selector for all devices of a filter but these; null: a free search is no selector. */
function allBut({ q, selector = 'all' }: DeviceFilter, left: ReadonlySet<string>): string | null {
  if (q) return null;
  if (left.size === 0) return selector;
  return [`(${selector})`, ...[...left].map((id) => `!id:${id}`)].join(' & ');
}

const singly = (found: readonly string[], left: ReadonlySet<string>): DeviceChoice => ({
  ids: new Set(found.filter((id) => !left.has(id))),
  all: null,
});

/** A choice with these devices in it, too. */
function withAll({ ids, all }: DeviceChoice, filter: DeviceFilter, found: readonly string[]): DeviceChoice {
  const next = new Set(all === null || isSame(all, filter) ? ids : []);
  for (const id of found) {
    if (isSame(all, filter)) next.delete(id);
    else next.add(id);
  }
  return { ids: next, all: isSame(all, filter) ? all : null };
}

/** The first devices of a list, or so many from a place of it on. */
async function idsOf(
  filter: DeviceFilter,
  count: number,
  { sort = 'name', from = 0 }: { sort?: string; from?: number } = {},
): Promise<string[]> {
  const pages = Array.from({ length: Math.ceil(count / PAGE) }, (_, page) => {
    const query = { ...filter, sort: sort as 'name', limit: PAGE, offset: from + page * PAGE, fields: 'name' };
    return api.get('/v1/devices', { params: { query } });
  });
  return (await Promise.all(pages)).flatMap(({ items }) => items.map(({ id }) => id)).slice(0, count);
}
