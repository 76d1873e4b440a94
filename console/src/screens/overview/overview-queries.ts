import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { listQuery, type ListRequest } from '../../api/lists.js';
import { queries, runningJobsQuery, summaryQuery, systemQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { lastVerificationQuery, logQuery } from '../audit/proof-queries.js';

/* What the overview reads. Its route starts all of it at once, beside the scripts of the screen. */

const HOURS = 24;

export const stateSummaryQuery = summaryQuery({ by: 'state' });

export const availabilityQuery = queryOptions({
  queryKey: KEYS.devices.availability,
  queryFn: ({ signal }) => api.get('/v1/devices/availability', { params: { query: { hours: HOURS } }, signal }),
  refetchInterval: 60_000,
});

export const problemsQuery = queryOptions({
  queryKey: KEYS.devices.problems,
  queryFn: ({ signal }) => api.get('/v1/monitoring/problems', { signal }),
});

export const figuresQuery = queryOptions({
  queryKey: KEYS.figures.all,
  queryFn: ({ signal }) => api.get('/v1/monitoring/figures', { signal }),
  refetchInterval: 60_000, // no event tells of a sample
});

export const backupCountsQuery = queryOptions({
  queryKey: KEYS.backups.counts({ limit: 1 }),
  queryFn: ({ signal }) => api.get('/v1/backups/coverage', { params: { query: { limit: 1 } }, signal }),
});

export const backupPoliciesQuery = queryOptions({
  queryKey: KEYS.backups.policies,
  queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
});

/** Rows of each kind that are read. */
const MAX = 20;

/** Devices whose state says already what an alert says. */
const WITH_A_PROBLEM = 'state=offline | state=trust_changed | state=credentials_refused | credentials:none';
const KNOWN_MAX = 200;

export const LISTS = {
  bad: {
    key: KEYS.devices.attention,
    query: { selector: WITH_A_PROBLEM, limit: KNOWN_MAX, fields: 'id' },
  },
  unknownJobs: { key: KEYS.jobs.attention, query: { outcome: 'unknown', limit: MAX } },
  runningJobs: { key: KEYS.jobs.running, query: { phase: 'running', limit: 1000 } },
  rollouts: { key: KEYS.rollouts.newest, query: { limit: 100 } },
  alerts: { key: KEYS.alerts.attention, query: { limit: 100 } },
  approvals: { key: KEYS.approvals.attention, query: { state: 'pending', limit: MAX } },
  changes: { key: KEYS.audit.last, query: { only: 'changes', limit: 16 } },
} as const satisfies Readonly<Record<string, ListRequest>>;

/** Reads what the person may see, before the screen is there, what stands first in it first. The screen itself shows what fails. */
export function loadOverview(permissions: readonly string[]): void {
  const may = (permission: string) => permissions.includes(permission);
  void queries.prefetchQuery(stateSummaryQuery);
  void queries.prefetchQuery(problemsQuery);
  void queries.prefetchQuery(availabilityQuery);
  void queries.prefetchInfiniteQuery(listQuery('/v1/monitoring/alerts', LISTS.alerts));
  if (may('system.read')) void queries.prefetchQuery(systemQuery);
  if (may('job.read')) {
    void queries.prefetchQuery(runningJobsQuery);
    void queries.prefetchInfiniteQuery(listQuery('/v1/jobs', LISTS.unknownJobs));
  }
  if (may('rollout.read')) void queries.prefetchInfiniteQuery(listQuery('/v1/rollouts', LISTS.rollouts));
  if (may('approval.read')) void queries.prefetchInfiniteQuery(listQuery('/v1/approvals', LISTS.approvals));
  if (may('audit.read')) {
    void queries.prefetchInfiniteQuery(listQuery('/v1/audit', LISTS.changes));
    void queries.prefetchQuery(logQuery);
    void queries.prefetchQuery(lastVerificationQuery);
  }
  if (may('device.call_read')) void queries.prefetchQuery(figuresQuery);
}
