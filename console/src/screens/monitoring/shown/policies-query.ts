import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/** All collections of values. */
export const policiesQuery = queryOptions({
  queryKey: KEYS.monitoring.policies,
  queryFn: ({ signal }) => api.get('/v1/monitoring/policies', { signal }),
});
