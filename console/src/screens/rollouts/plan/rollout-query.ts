import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/** A rollout, read again while it runs. */
export const rolloutQuery = (rolloutId: string) =>
  queryOptions({
    queryKey: KEYS.rollout.one(rolloutId),
    queryFn: ({ signal }) => api.get('/v1/rollouts/{rolloutId}', { params: { path: { rolloutId } }, signal }),
    refetchInterval: ({ state }) => (['running', 'aborting'].includes(state.data?.state ?? '') ? 3_000 : false),
  });
