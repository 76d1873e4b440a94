import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';

/** All rules of alerts. */
export const rulesQuery = queryOptions({
  queryKey: KEYS.alertRules.all,
  queryFn: ({ signal }) => api.get('/v1/monitoring/rules', { signal }),
});
