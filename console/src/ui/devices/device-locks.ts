import { useQueries } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type List, useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { together, TOGETHER } from '../../api/names/together.js';

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

/** By the selector of a lock: rows of a table ask one by one. */
const readers = new Map<string, (id: string) => Promise<true | null>>();

/** Whether a selector names a device, by the id of the device. */
function namedBy(target: string): (id: string) => Promise<true | null> {
  const known = readers.get(target);
  if (known) return known;
  const reader = together(TOGETHER, async (ids) => {
    const some = ids.map((id) => `id=${id}`).join(' | ');
    const query = { selector: `(${some}) & (${target})`, fields: 'name', limit: TOGETHER };
    const { items } = await api.get('/v1/devices', { params: { query } });
    return new Map(items.map(({ id }) => [id, true as const]));
  });
  readers.set(target, reader);
  return reader;
}

/** The ids of the locks whose selector names one of the devices. One that cannot be read locks every device. */
function useSelectorLocks(ids: readonly string[], locks: List<Lock>['rows']): ReadonlySet<string> {
  const asked = locks.flatMap(({ kind, target, id: lock }) =>
    kind === 'selector' && target !== null ? ids.map((id) => ({ lock, target, id })) : [],
  );
  const answers = useQueries({
    queries: asked.map(({ target, id }) => ({
      queryKey: KEYS.locks.names(id, target),
      queryFn: async () => (await namedBy(target)(id)) !== null,
    })),
  });
  return new Set(asked.filter((_, at) => answers[at]?.data || answers[at]?.isError).map(({ lock }) => lock));
}
