import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../api/client.js';
import { Icon } from '../ui/icons.js';
import { To } from '../ui/to.js';

const CHECK_EVERY_MS = 60_000;

/** Says on every screen that all writes are frozen, by whom and why, also to those who may not see locks. */
export function Frozen(): ReactNode {
  const { data } = useQuery({
    queryKey: ['locks', 'of-writes'],
    queryFn: ({ signal }) => api.get('/v1/self', { signal }),
    refetchInterval: CHECK_EVERY_MS,
  });
  if (!data?.frozen) return null;
  const { by, reason } = data.frozen;
  return (
    <To to="/access" search={{ tab: 'locks' }} className="mark frozen" title={`${reason} (${by})`}>
      <Icon name="lock" />
      Writes frozen
      <span className="reason foreign cut">
        by {by}: {reason}
      </span>
    </To>
  );
}
