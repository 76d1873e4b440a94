import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/** Where the person who asks is signed in. */
export const ownSessionsQuery = queryOptions({
  queryKey: KEYS.sessions.list(false),
  queryFn: ({ signal }) => api.get('/v1/self/sessions', { signal }),
});
