import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { shownRollout } from '../../../ui/words/rollout-state.js';

const GOES_ON = new Set(['starting', 'running', 'aborting']);

/** A rollout, read again while it runs. */
export const rolloutQuery = (rolloutId: string) =>
  queryOptions({
    queryKey: KEYS.rollout.one(rolloutId),
    queryFn: ({ signal }) => api.get('/v1/rollouts/{rolloutId}', { params: { path: { rolloutId } }, signal }),
    refetchInterval: ({ state: { data } }) => (data && GOES_ON.has(shownRollout(data)) ? 3_000 : false),
  });
