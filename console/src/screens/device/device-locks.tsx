import { useQueries } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { type List, useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Ago } from '../../ui/time.js';

type Lock = Schema<'LockView'>;

/** The locks of a device: its own, those of a selector that names it, and those of all writes. */
export function useDeviceLocks(id: string): readonly Lock[] {
  const { rows } = useList('/v1/locks', { key: KEYS.locks.inForce, enabled: useMay('lock.read') });
  const bySelector = useSelectorLocks(id, rows);
  return rows.filter((lock) => lock.kind === 'writes' || lock.target === id || bySelector.has(lock.id));
}

/** What a lock stops, and why. Calls stop; whether the device answers is looked at without one. */
export const lockFact = ({ kind, reason }: Lock): string =>
  kind === 'writes' ? `All writes are stopped: ${reason}` : `Locked, no calls: ${reason}`;

/** Each of the locks with its author and its end. */
export function LockFacts({ id, locks }: { id: string; locks: readonly Lock[] }): ReactNode {
  return locks.map((lock) => (
    <span key={lock.id} className="foreign">
      {lockFact(lock)}{' '}
      <span className="quiet">
        by {lock.createdByName}, <Ago at={lock.createdAt} />
        {lock.kind === 'selector' && lock.target !== `id=${id}` && (
          <>
            , for <code>{lock.target}</code>
          </>
        )}
        ;{' '}
        {lock.endsAt ? (
          <>
            ends <Ago at={lock.endsAt} />
          </>
        ) : (
          'ends when it is lifted'
        )}
      </span>
    </span>
  ));
}

/** The ids of the locks whose selector names the device. One that cannot be read locks every device. */
function useSelectorLocks(id: string, locks: List<Lock>['rows']): ReadonlySet<string> {
  const selectors = locks.filter(({ kind, target }) => kind === 'selector' && target !== null);
  const answers = useQueries({
    queries: selectors.map(({ target }) => ({
      queryKey: KEYS.locks.names(id, target),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { selector: `id=${id} & (${target})`, fields: 'name', limit: 1 };
        const { items } = await api.get('/v1/devices', { params: { query }, signal });
        return items.length > 0;
      },
    })),
  });
  return new Set(selectors.filter((_, at) => answers[at]?.data || answers[at]?.isError).map((lock) => lock.id));
}
