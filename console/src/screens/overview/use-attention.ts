import { useQuery } from '@tanstack/react-query';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { selfQuery, summaryQuery, systemQuery } from '../../api/queries.js';
import { useNow } from '../../ui/time.js';
import {
  alertAttention,
  approvalAttention,
  type Attention,
  deviceAttention,
  jobAttention,
  rolloutAttention,
  warningAttention,
} from './attention.js';

const FIELDS = 'id,name,state,stateReason,credentials,seenAt,site';

/** Devices with one of these states are in their own lists. */
const WITHOUT_LOGIN = 'credentials:none & !state:offline & !state:trust_changed & !state:credentials_refused';

/** Rows of each kind that are read. */
const MAX = 20;

interface AllAttention {
  /** Worst first. */
  readonly items: readonly Attention[];
  /** Devices with a problem that are not among the items. */
  readonly moreDevices: number;
  readonly isLoading: boolean;
  /** What could not be read: then an empty list says nothing. */
  readonly errors: readonly unknown[];
}

/** All that needs a person, as far as the caller may see it. */
export function useAttention(): AllAttention {
  const { data: self } = useQuery(selfQuery);
  const may = (permission: string) => self?.permissions.includes(permission) ?? false;
  const devices = (selector: string) => ({
    key: ['devices', 'attention'],
    query: { selector, limit: MAX, fields: FIELDS },
  });
  // Two lists: a hundred devices that are offline must not hide one that refuses its password.
  const refused = useList('/v1/devices', devices('state:trust_changed | state:credentials_refused'));
  const offline = useList('/v1/devices', devices('state:offline'));
  const loginless = useList('/v1/devices', devices(WITHOUT_LOGIN));
  const summary = useQuery(summaryQuery({ by: 'state' }));
  const withoutLogin = useQuery(summaryQuery({ selector: WITHOUT_LOGIN, by: 'state' }));
  const lists = {
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
    alerts: useList('/v1/monitoring/alerts', { key: ['alerts', 'attention'], query: { limit: MAX } }),
    approvals: useList('/v1/approvals', {
      key: ['approvals', 'attention'],
      query: { state: 'pending', limit: MAX },
      enabled: may('approval.read'),
    }),
  };
  const system = useQuery({ ...systemQuery, enabled: may('system.read') });
  const now = useNow();
  const bad = [...refused.rows, ...loginless.rows, ...offline.rows];
  const isNews = ({ deviceId, acknowledgedAt }: Schema<'Alert'>) =>
    acknowledgedAt === null && !bad.some(({ id }) => id === deviceId);
  const items = [
    ...lists.jobs.rows.flatMap((job) => jobAttention(job, now)),
    ...lists.rollouts.rows.flatMap(rolloutAttention),
    ...lists.approvals.rows.map(approvalAttention),
    // A device whose state says it already is not said twice.
    ...lists.alerts.rows.filter(isNews).flatMap(alertAttention),
    ...bad.flatMap((device) => deviceAttention(device as Parameters<typeof deviceAttention>[0])),
    ...(system.data?.warnings ?? []).map(warningAttention),
  ];
  const states = summary.data?.groups.find(({ by }) => by === 'state')?.values ?? [];
  const known = states.filter(
    ({ value }) => value === 'offline' || value === 'trust_changed' || value === 'credentials_refused',
  );
  const all = known.reduce((sum, { devices: count }) => sum + count, withoutLogin.data?.devices ?? 0);
  return {
    items: items.toSorted((one, other) => one.rank - other.rank),
    moreDevices: Math.max(0, all - bad.length),
    isLoading: refused.isLoading || loginless.isLoading || offline.isLoading,
    errors: [refused, loginless, offline, ...Object.values(lists), system].flatMap(({ error }) => error ?? []),
  };
}
