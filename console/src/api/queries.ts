import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { api, ApiError } from './client.js';
import { isSessionEnded, rememberSession, signInAgain } from './session-end.js';

/* The queries that several screens share. Each key begins with the noun of its rows, so that an event can refresh them. */

/** A session that ended while its person looks at a screen: they sign in over it. */
function noticeEnd(error: unknown): void {
  if (isSessionEnded(error) && document.querySelector('.shell')) void signInAgain();
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEnd }),
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
  queryFn: async ({ signal }) => {
    const self = await api.get('/v1/self', { signal });
    rememberSession();
    return self;
  },
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
