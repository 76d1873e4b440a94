import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';

/* What the parts of this screen, and the changes of a device, read of what watches have read. */

/** The routers by equal configuration at one path. */
export const groupsQuery = (path: string, selector: string) =>
  queryOptions({
    queryKey: KEYS.observed.groups(path, selector),
    queryFn: ({ signal }) => api.get('/v1/observed', { params: { query: { path, selector } }, signal }),
    placeholderData: (before) => (before?.path === path ? before : undefined),
    // No event tells that a pass found the same again. Who has asked for the first reading waits for it here.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.groups.length === 0 ? 5_000 : 30_000),
  });

/** What differs between two bodies. A digest is of one body for ever. */
export const comparisonQuery = (path: string, one: string, other: string) =>
  queryOptions({
    queryKey: KEYS.observed.comparison(path, one, other),
    queryFn: ({ signal }) => api.get('/v1/observed/comparison', { params: { query: { path, one, other } }, signal }),
    staleTime: Infinity,
  });

/** The sections of one body, as any device that has it. @param digest null: there is none */
export const sectionsQuery = (path: string, digest: string | null) =>
  queryOptions({
    queryKey: KEYS.observed.sections(path, digest),
    queryFn: async ({ signal }) => {
      const query = { path, selector: `observed:${path}/${digest}`, limit: 1 };
      return (await api.get('/v1/observed/matrix', { params: { query }, signal })).items;
    },
    enabled: digest !== null,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
