import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../../api/client.js';
import { gatewayNow } from '../../../api/clock.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { NotReady } from '../plan-view.js';

type Rollout = Schema<'RolloutWithWaves'>;

/** Which devices of a draft cannot start now: its plan is made again, and nothing is stored. */
export function DraftReady({ rollout }: { rollout: Rollout }): ReactNode {
  const { id, rollsBack, selector } = rollout;
  const may = useMay('rollout.manage');
  const { data: plan } = useQuery({
    queryKey: KEYS.rollout.ready(id),
    queryFn: ({ signal }) => planAgain(rollout, signal),
    enabled: may && (selector !== null || rollsBack !== null),
    retry: false,
  });
  return plan ? <NotReady plan={plan} /> : null;
}

async function planAgain(rollout: Rollout, signal: AbortSignal): Promise<Schema<'RolloutPlan'>> {
  const { rollsBack, name, spec, policy, startsAt } = rollout;
  if (rollsBack !== null) {
    const params = { path: { rolloutId: rollsBack } };
    const body = { dryRun: true };
    return (await api.post('/v1/rollouts/{rolloutId}/roll-back', { params, body, signal })) as Schema<'RolloutPlan'>;
  }
  const [kind, selector] = [rollout.kind, rollout.selector ?? ''];
  const when = startsAt === null || Date.parse(startsAt) < gatewayNow() ? {} : { startsAt };
  const body = { name, kind, spec, selector, policy, ...when, dryRun: true } as Schema<'CreateRollout'>;
  return (await api.post('/v1/rollouts', { body, signal })) as Schema<'RolloutPlan'>;
}
