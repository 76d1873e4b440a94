import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { isRefused } from '../../../api/problems.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { showSecondFactor } from '../../../shell/second-factor.js';
import { useSettled } from '../../../ui/settled.js';

type Input = Schema<'CreateRollout'>;

export interface PlannedRollout {
  /** The request of this plan, with the digest of its devices. */
  readonly body: Input;
  readonly plan: Schema<'RolloutPlan'>;
}

/** The plan of a request, made again when it changes. The plan and the rollout are of exactly the same devices. */
export function usePlan(body: Input | null) {
  const wanted = JSON.stringify(body);
  const asked = useSettled(wanted);
  const query = useQuery({
    queryKey: KEYS.plan.one(asked),
    queryFn: ({ signal }) => plan(JSON.parse(asked) as Input, signal),
    enabled: asked !== 'null',
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false, // what the person has read is what happens
    placeholderData: keepPreviousData,
  });
  const isCurrent = asked === wanted && !query.isPlaceholderData && !query.isFetching;
  return { ...query, isCurrent };
}

async function plan(input: Input, signal: AbortSignal): Promise<PlannedRollout> {
  const { selector } = input;
  const preview = await api.post('/v1/devices/preview', { body: { selector, permission: 'job.start' }, signal });
  const body = { ...input, expectedDigest: preview.digest };
  const made = await withFactor(() => api.post('/v1/rollouts', { body: { ...body, dryRun: true }, signal }));
  return { body, plan: made as Schema<'RolloutPlan'> };
}

async function withFactor<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!isRefused(error, 'step_up_required')) throw error;
    await showSecondFactor(error);
    return run();
  }
}
