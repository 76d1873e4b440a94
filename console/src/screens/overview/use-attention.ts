import { useQueries, useQuery } from '@tanstack/react-query';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { selfQuery } from '../../api/queries.js';
import { useNow } from '../../ui/time.js';
import { readSummary } from '../access/approving/act-words.js';
import { effectQuery } from '../access/approving/effect.js';
import { rulesQuery } from '../monitoring/shown/rules-query.js';
import { rolloutQuery } from '../rollouts/plan/rollout-query.js';
import { alertAttention, approvalAttention, jobAttention, rolloutAttention, waveAttention } from './attention.js';
import { type Attention } from './attention-item.js';
import { incidentsOf } from './incidents.js';
import { LISTS, problemsQuery, stateSummaryQuery } from './overview-queries.js';

/** Running rollouts whose waves are read. */
const ROLLOUTS_READ = 5;

export interface AllAttention {
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
  const problems = useQuery(problemsQuery);
  const summary = useQuery(stateSummaryQuery);
  const alerts = useList('/v1/monitoring/alerts', LISTS.alerts);
  const hasAlerts = alerts.rows.some(({ acknowledgedAt }) => acknowledgedAt === null);
  const lists = {
    alerts,
    // Only an alert can be said twice: of a fleet without any, the devices are not read.
    bad: useList('/v1/devices', { ...LISTS.bad, enabled: hasAlerts }),
    jobs: useList('/v1/jobs', { ...LISTS.unknownJobs, enabled: may('job.read') }),
    rollouts: useList('/v1/rollouts', { ...LISTS.rollouts, enabled: may('rollout.read') }),
    approvals: useList('/v1/approvals', { ...LISTS.approvals, enabled: may('approval.read') }),
  };
  const rules = useQuery({ ...rulesQuery, enabled: hasAlerts && may('monitoring.read') });
  const selectors = new Map(rules.data?.items.map(({ id, selector }) => [id, selector]));
  const now = useNow();
  const effects = useQueries({
    queries: lists.approvals.rows.map(({ summary: asked }) => effectQuery(readSummary(asked).selector)),
  });
  const waves = useQueries({
    queries: lists.rollouts.rows
      .filter(({ state }) => state === 'running')
      .slice(0, ROLLOUTS_READ)
      .map(({ id }) => ({ ...rolloutQuery(id), refetchInterval: 15_000 })),
  });
  const known = new Set(lists.bad.rows.map(({ id }) => id));
  const isNews = ({ deviceId, acknowledgedAt }: Schema<'Alert'>) => acknowledgedAt === null && !known.has(deviceId);
  const items = [
    ...lists.jobs.rows.flatMap((job) => jobAttention(job, now)),
    ...lists.rollouts.rows.flatMap(rolloutAttention),
    ...waves.flatMap(({ data }) => (data ? waveAttention(data) : [])),
    ...lists.approvals.rows.map((approval, at) => approvalAttention(approval, effects[at]?.data)),
    // A device whose state says it already is not said twice.
    ...alertAttention(lists.bad.isLoading ? [] : alerts.rows.filter(isNews), selectors),
    ...incidentsOf(problems.data?.groups ?? [], summary.data?.devices ?? Infinity, problems.data?.networks),
  ];
  return {
    items: items.toSorted((one, other) => one.rank - other.rank || (other.at ?? '').localeCompare(one.at ?? '')),
    isLoading: problems.isPending || alerts.isLoading || (hasAlerts && lists.bad.isLoading),
    errors: [problems, ...Object.values(lists), ...waves].flatMap(({ error }) => error ?? []),
  };
}
