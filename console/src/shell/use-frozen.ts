import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { KEYS } from '../api/keys/query-keys.js';
import { queries, selfQuery } from '../api/queries.js';

const CHECK_EVERY_MS = 60_000;

/** The lock of all writes; also those who may not see locks are told of it. */
export function useFrozen() {
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
