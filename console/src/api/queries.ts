import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { api, ApiError } from './client.js';
import { noticeOutage } from './outage.js';
import { isSessionEnded, rememberSession, signInAgain } from './session-end.js';
import { KEYS } from './keys/query-keys.js';

/* The queries that several screens share. Each key begins with the noun of its rows, so that an event can refresh them. */

/** A session that ended while its person looks at a screen: they sign in over it. Before a screen, they are sent to the sign-in. */
function noticeError(error: unknown): void {
  if (isSessionEnded(error) && document.querySelector('.shell:not([data-entering])')) void signInAgain();
  noticeOutage(error, readAll);
}

/** Reads all that is on the screen again, where the gateway answers. @throws what it throws where it does not */
async function readAll(): Promise<void> {
  await queries.fetchQuery({ ...selfQuery, staleTime: 0 });
  void queries.invalidateQueries();
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
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
  queryKey: KEYS.self.all,
  queryFn: async ({ signal }) => {
    const self = await api.get('/v1/self', { signal });
    rememberSession();
    return self;
  },
  retry: false, // the screens wait for it, and an outage is asked about again by itself
  staleTime: 60_000,
});

export const systemQuery = queryOptions({
  queryKey: KEYS.system.all,
  queryFn: ({ signal }) => api.get('/v1/system', { signal }),
  refetchInterval: 15_000,
});

/** One device, by any of its references. */
export const deviceQuery = (ref: string) =>
  queryOptions({
    queryKey: KEYS.device.one(ref),
    queryFn: ({ signal }) => api.get('/v1/devices/{ref}', { params: { path: { ref } }, signal }),
  });

/** Counts of devices by their properties. */
export const summaryQuery = (query: { selector?: string; q?: string; by: string }) =>
  queryOptions({
    queryKey: KEYS.devices.summary(query),
    queryFn: ({ signal }) => api.get('/v1/devices/summary', { params: { query }, signal }),
    placeholderData: (previous) => previous,
  });

/** More of what runs than these is not counted: so the requests stay small. */
export const RUNNING_SHOWN = 9;

const runningMax = { limit: RUNNING_SHOWN + 1 };

export const readRunningJobs = (signal: AbortSignal) =>
  api.get('/v1/jobs', { params: { query: { ...runningMax, phase: 'running' } }, signal });

export const readRunningRollouts = (signal: AbortSignal) =>
  api.get('/v1/rollouts', { params: { query: { ...runningMax, state: 'running' } }, signal });

/** The jobs that run, as far as the menu counts them: the overview has the same number. */
export const runningJobsQuery = queryOptions({
  queryKey: KEYS.jobs.menu,
  queryFn: ({ signal }) => readRunningJobs(signal),
});

/** The rollouts that run, as far as the menu counts them. */
export const runningRolloutsQuery = queryOptions({
  queryKey: KEYS.rollouts.menu,
  queryFn: ({ signal }) => readRunningRollouts(signal),
});

/** All people and programs with an account. */
export const operatorsQuery = queryOptions({
  queryKey: KEYS.operators.all,
  queryFn: ({ signal }) => api.get('/v1/operators', { signal }),
});
