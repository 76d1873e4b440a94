import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../api/client.js';
import { useMay } from '../api/may.js';
import { Icon } from '../ui/icons.js';
import { To } from '../ui/to.js';

const CHECK_EVERY_MS = 60_000;

/** Says on every screen that all writes are frozen, and leads to the lock. */
export function Frozen(): ReactNode {
  const may = useMay('lock.read');
  const { data } = useQuery({
    queryKey: ['locks', 'newest'],
    queryFn: ({ signal }) => api.get('/v1/locks', { params: { query: { limit: 100 } }, signal }),
    enabled: may,
    refetchInterval: CHECK_EVERY_MS,
  });
  const lock = data?.items.find(({ kind }) => kind === 'writes');
  if (!lock) return null;
  return (
    <To to="/access" search={{ tab: 'locks' }} className="mark frozen" title={`${lock.reason} (${lock.createdByName})`}>
      <Icon name="lock" />
      Writes frozen
    </To>
  );
}
