import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** The log: how many lines it has, and its newest checkpoint. */
export const logQuery = queryOptions({
  queryKey: KEYS.audit.log,
  queryFn: ({ signal }) => api.get('/v1/audit/log', { signal }),
});

/** A verification is itself an entry of the log, so the last one is known without a store of its own. */
const LAST = { action: 'audit.verify', limit: 1 };

/** The entry of the last verification, by any operator. */
export const lastVerificationQuery = queryOptions({
  queryKey: KEYS.audit.lastVerification,
  queryFn: ({ signal }) => api.get('/v1/audit', { params: { query: LAST }, signal }),
});
