import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { selfQuery, summaryQuery } from '../../api/queries.js';
import { useNow } from '../../ui/time.js';
import { alertAttention, approvalAttention, jobAttention, rolloutAttention } from './attention.js';
import { type Attention } from './attention-item.js';
import { incidentsOf } from './incidents.js';

/** Rows of each kind that are read. */
const MAX = 20;

/** Devices whose state says already what an alert says. */
const WITH_A_PROBLEM = 'state=offline | state=trust_changed | state=credentials_refused | credentials:none';
const KNOWN_MAX = 200;

interface AllAttention {
  /** Worst first, and of equal ones the newest. */
  readonly items: readonly Attention[];
  readonly isLoading: boolean;
  /** What could not be read: then an empty list says nothing. */
  readonly errors: readonly unknown[];
}

/** All that needs a person, as far as the caller may see it. */
export function useAttention(): AllAttention {
  const { data: self } = useQuery(selfQuery);
  const may = (permission: string) => self?.permissions.includes(permission) ?? false;
  const problems = useQuery({
    queryKey: ['devices', 'problems'],
    queryFn: ({ signal }) => api.get('/v1/monitoring/problems', { signal }),
  });
  const summary = useQuery(summaryQuery({ by: 'state' }));
  const lists = {
    bad: useList('/v1/devices', {
      key: ['devices', 'attention'],
      query: { selector: WITH_A_PROBLEM, limit: KNOWN_MAX, fields: 'id' },
    }),
    jobs: useList('/v1/jobs', {
      key: ['jobs', 'attention'],
      query: { outcome: 'unknown', limit: MAX },
      enabled: may('job.read'),
    }),
    rollouts: useList('/v1/rollouts', {
      key: ['rollouts', 'attention'],
      query: { limit: 100 },
      enabled: may('rollout.read'),
    }),
    alerts: useList('/v1/monitoring/alerts', { key: ['alerts', 'attention'], query: { limit: 100 } }),
    approvals: useList('/v1/approvals', {
      key: ['approvals', 'attention'],
      query: { state: 'pending', limit: MAX },
      enabled: may('approval.read'),
    }),
  };
  const now = useNow();
  const known = new Set(lists.bad.rows.map(({ id }) => id));
  const isNews = ({ deviceId, acknowledgedAt }: Schema<'Alert'>) => acknowledgedAt === null && !known.has(deviceId);
  const items = [
    ...lists.jobs.rows.flatMap((job) => jobAttention(job, now)),
    ...lists.rollouts.rows.flatMap(rolloutAttention),
    ...lists.approvals.rows.map(approvalAttention),
    // A device whose state says it already is not said twice.
    ...alertAttention(lists.alerts.rows.filter(isNews)),
    ...incidentsOf(problems.data?.groups ?? [], summary.data?.devices ?? Infinity, problems.data?.networks),
  ];
  return {
    items: items.toSorted((one, other) => one.rank - other.rank || (other.at ?? '').localeCompare(one.at ?? '')),
    isLoading: problems.isPending && !problems.error,
    errors: [problems, ...Object.values(lists)].flatMap(({ error }) => error ?? []),
  };
}
