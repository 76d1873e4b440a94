import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** More are behind the link to the locks. */
const SHOWN = 3;

/** Behind a word such as “locked”: the reasons of the locks in force that stop calls to devices. */
export function LockReasons(): ReactNode {
  const { data } = useQuery({
    queryKey: KEYS.locks.newest,
    queryFn: ({ signal }) => api.get('/v1/locks', { params: { query: { limit: 100 } }, signal }),
    enabled: useMay('lock.read'),
  });
  const locks = data?.items.filter(({ kind }) => kind !== 'operator' && kind !== 'key') ?? [];
  if (locks.length === 0) return null;
  const reasons = locks.slice(0, SHOWN).map(({ reason, createdByName }) => `${reason}, by ${createdByName}`);
  return (
    <span className="foreign">
      {' '}
      ({locks.length > 1 && 'one of: '}
      {reasons.join('; ')}
      {locks.length > SHOWN ? ' …' : ''})
    </span>
  );
}
