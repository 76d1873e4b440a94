import { useQuery } from '@tanstack/react-query';
import { countText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery, summaryQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { StateMark } from '../../ui/mark.js';
import { shownRollout } from '../../ui/words/rollout-state.js';
import { choice, type Choice } from './choice.js';
import { scoreOf } from './ranking.js';

/* What has a name besides devices. Each list is read once for many texts, and its names are matched here. */

/** The names of a list change seldom. */
const LISTED = { staleTime: 30_000 } as const;

export function useSites(asked: string): readonly Choice[] {
  const may = useMay('device.read');
  const { data } = useQuery({ ...summaryQuery({ by: 'site' }), enabled: may && asked.length > 0, staleTime: 60_000 });
  return (data?.groups[0]?.values ?? []).flatMap(({ value, devices }) =>
    value && asked
      ? choice(
          `site ${value}`,
          value,
          `/devices?${new URLSearchParams({ selector: `site="${value.replaceAll(/["\\]/g, '\\$&')}"` }).toString()}`,
          scoreOf(asked, value),
          <span className="quiet small">{countText(devices, 'device')}</span>,
          ['Site'],
        )
      : [],
  );
}

export function useRollouts(asked: string): readonly Choice[] {
  const may = useMay('rollout.read');
  const { data } = useQuery({
    queryKey: KEYS.rollouts.palette,
    queryFn: ({ signal }) => api.get('/v1/rollouts', { params: { query: { limit: 100 } }, signal }),
    enabled: may && asked.length > 0,
    staleTime: 30_000,
  });
  if (asked === '') return [];
  return (data?.items ?? []).map((rollout) => {
    const { id, name, selector } = rollout;
    const state = <StateMark state={shownRollout(rollout)} />;
    return choice(id, name, `/rollouts/${id}`, scoreOf(asked, name), state, ['Rollout', selector]);
  });
}

export function usePeople(asked: string): readonly Choice[] {
  const may = useMay('operator.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: may && asked.length > 0, staleTime: 60_000 });
  if (asked === '') return [];
  return (data?.items ?? []).map(({ id, name, roles }) =>
    choice(id, name, `/access/people/${id}`, scoreOf(asked, name), undefined, [
      'Person',
      roles.map(({ role }) => role).join(', '),
    ]),
  );
}

/** What runs by itself: schedules, and backup policies. */
export function useRecurring(asked: string): readonly Choice[] {
  const schedules = useQuery({
    queryKey: KEYS.schedules.all,
    queryFn: ({ signal }) => api.get('/v1/schedules', { signal }),
    enabled: useMay('rollout.read') && asked.length > 0,
    ...LISTED,
  });
  const policies = useQuery({
    queryKey: KEYS.backups.policies,
    queryFn: ({ signal }) => api.get('/v1/backups/policies', { signal }),
    enabled: useMay('backup.read') && asked.length > 0,
    ...LISTED,
  });
  if (asked === '') return [];
  return [
    ...(schedules.data?.items ?? []).map(({ id, name, rollout }) =>
      choice(id, name, `/schedules?schedule=${id}`, scoreOf(asked, name), undefined, ['Schedule', rollout.selector]),
    ),
    ...(policies.data?.items ?? []).map(({ id, name, selector }) =>
      choice(id, name, `/backups?tab=policies&policy=${id}`, scoreOf(asked, name), undefined, [
        'Backup policy',
        selector,
      ]),
    ),
  ];
}

/** The alerts of a rule, by its name. */
export function useRules(asked: string): readonly Choice[] {
  const { data } = useQuery({
    queryKey: KEYS.alertRules.all,
    queryFn: ({ signal }) => api.get('/v1/monitoring/rules', { signal }),
    enabled: useMay('monitoring.read') && asked.length > 0,
    ...LISTED,
  });
  if (asked === '') return [];
  return (data?.items ?? []).map(({ id, name, selector }) =>
    choice(id, name, `/monitoring?rule=${id}`, scoreOf(asked, name), undefined, ['Alerts of this rule', selector]),
  );
}

export function useTemplates(asked: string): readonly Choice[] {
  const { data } = useQuery({
    queryKey: KEYS.templates.all,
    queryFn: ({ signal }) => api.get('/v1/templates', { signal }),
    enabled: useMay('template.read') && asked.length > 0,
    ...LISTED,
  });
  if (asked === '') return [];
  return (data?.items ?? []).map(({ name, selector }) =>
    choice(`template ${name}`, name, `/templates/${name}`, scoreOf(asked, name), undefined, ['Template', selector]),
  );
}
