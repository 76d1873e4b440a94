import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { api } from '../api/client.js';
import { useMay } from '../api/may.js';
import { queries, selfQuery } from '../api/queries.js';
import { KEYS } from '../api/keys/query-keys.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icons.js';
import { Ago } from '../ui/time.js';
import { To } from '../ui/to.js';
import css from './frozen.module.css';

const Freeze = lazy(async () => ({ default: (await import('../screens/access/freeze.js')).Freeze }));

const CHECK_EVERY_MS = 60_000;

/** The lock of all writes; also those who may not see locks are told of it. */
function useFrozen() {
  const { data } = useQuery({
    queryKey: KEYS.locks.ofWrites,
    queryFn: ({ signal }) => api.get('/v1/self', { signal }),
    // The page has just read it to know who is there.
    initialData: () => queries.getQueryData(selfQuery.queryKey),
    initialDataUpdatedAt: () => queries.getQueryState(selfQuery.queryKey)?.dataUpdatedAt,
    refetchInterval: CHECK_EVERY_MS,
  });
  return data?.frozen ?? null;
}

/** Says on every screen that all writes are frozen, by whom, why and until when. */
export function FrozenBanner(): ReactNode {
  const frozen = useFrozen();
  const mayLift = useMay('lock.manage');
  if (!frozen) return null;
  const { by, reason, until } = frozen;
  return (
    <div className={css.banner} role="status">
      <Icon name="lock" />
      <strong>Writes frozen</strong>
      <span className="foreign cut" title={reason}>
        by {by}: {reason}
      </span>
      <span className={css.end}>
        {until ? (
          <>
            ends <Ago at={until} />
          </>
        ) : (
          'until it is lifted'
        )}
      </span>
      <To to="/access" search={{ tab: 'locks' }}>
        {mayLift ? 'Lift it' : 'Locks'}
      </To>
    </div>
  );
}

/** Freezes from any screen. */
export function FreezeButton(): ReactNode {
  const frozen = useFrozen();
  const may = useMay('lock.manage');
  const [isOpen, setOpen] = useState(false);
  if (!may || frozen) return null;
  return (
    <>
      <IconButton icon="lock" label="Freeze writes" onClick={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <Freeze onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
