import { useQueries } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type List, useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';

type Lock = Schema<'LockView'>;

/** The locks of a device: its own, those of a selector that names it, and those of all writes. */
export function useDeviceLocks(id: string): readonly Lock[] {
  return useLocksOfDevices([id]);
}

/** The locks that name one of some devices, and those of all writes. @param ids few; none: the locks of all devices */
export function useLocksOfDevices(ids: readonly string[]): readonly Lock[] {
  const { rows } = useList('/v1/locks', { key: KEYS.locks.inForce, enabled: useMay('lock.read') });
  const bySelector = useSelectorLocks(ids, rows);
  if (ids.length === 0) return rows.filter(({ kind }) => kind !== 'operator' && kind !== 'key');
  const names = ({ kind, target, id }: Lock) =>
    (target !== null && ids.includes(target)) || bySelector.has(id) || kind === 'writes';
  return rows.filter(names);
}

/** The ids of the locks whose selector names one of the devices. One that cannot be read locks every device. */
function useSelectorLocks(ids: readonly string[], locks: List<Lock>['rows']): ReadonlySet<string> {
  const selectors = ids.length === 0 ? [] : locks.filter(({ kind, target }) => kind === 'selector' && target !== null);
  const some = ids.map((id) => `id=${id}`).join(' | ');
  const answers = useQueries({
    queries: selectors.map(({ target }) => ({
      queryKey: KEYS.locks.names(ids.join(' '), target),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { selector: `(${some}) & (${target})`, fields: 'name', limit: 1 };
        const { items } = await api.get('/v1/devices', { params: { query }, signal });
        return items.length > 0;
      },
    })),
  });
  return new Set(selectors.filter((_, at) => answers[at]?.data || answers[at]?.isError).map((lock) => lock.id));
}
