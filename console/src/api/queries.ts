import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { api, ApiError } from './client.js';
import { ownPath } from './own-path.js';

/* The queries that several screens share. Each key begins with the noun of its rows, so that an event can refresh them. */

/** A session that ended while its person looks at a screen: they sign in again, and come back. */
function leaveWithoutSession(error: unknown): void {
  const isEnded = error instanceof ApiError && error.status === 401;
  if (!isEnded || !document.querySelector('.shell')) return;
  const next = location.pathname.slice(ownPath('/console').length) + location.search;
  location.assign(ownPath(`/console/sign-in?next=${encodeURIComponent(next)}`));
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWithoutSession }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // A refusal does not change by asking again; the client itself repeats what a lost connection has cut.
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
    },
  },
});

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => api.get('/v1/self', { signal }),
  staleTime: 60_000,
});

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => api.get('/v1/system', { signal }),
  refetchInterval: 15_000,
});

/** One device, by any of its references. */
export const deviceQuery = (ref: string) =>
  queryOptions({
    queryKey: ['device', ref],
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}', { params: { path: { ref } }, signal }),
  });

/** Counts of devices by their properties. */
export const summaryQuery = (query: { selector?: string; q?: string; by: string }) =>
  queryOptions({
    queryKey: ['devices', 'summary', query],
    queryFn: ({ signal }) => api.get('/v1/devices/summary', { params: { query }, signal }),
    placeholderData: (previous) => previous,
  });
