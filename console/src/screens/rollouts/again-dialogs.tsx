import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField } from '../../ui/field.js';
import { stateText } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { type Kind } from '../jobs/acting/effects.js';
import { PlanView } from './plan-view.js';

type Rollout = Schema<'RolloutWithWaves'>;

interface Props {
  rollout: Rollout;
  onClose: () => void;
}

const STATES = ['failed', 'unknown', 'skipped', 'cancelled'] as const;

/** Runs devices again that did not succeed. */
export function RetryDialog({ rollout, onClose }: Props): ReactNode {
  const { id, counts } = rollout;
  const present = STATES.filter((state) => counts[state] > 0);
  const [chosen, setChosen] = useState<readonly (typeof STATES)[number][]>(present.filter((one) => one === 'failed'));
  const body = { states: [...chosen] };
  const retry = useAction({
    run: () => api.post('/v1/rollouts/{rolloutId}/retry-failed', { params: { path: { rolloutId: id } }, body }),
    done: 'The devices run again',
    refreshes: ['rollouts', 'rollout'],
    after: onClose,
  });
  return (
    <FormDialog
      title="Retry devices"
      send="Retry"
      busy={retry.isPending}
      disabled={chosen.length === 0}
      onSend={() => retry.mutate()}
      onClose={onClose}
    >
      {present.map((state) => (
        <CheckField
          key={state}
          label={`${stateText(state)}: ${countText(counts[state], 'device')}`}
          checked={chosen.includes(state)}
          onChange={() => setChosen(STATES.filter((one) => chosen.includes(one) !== (one === state)))}
        />
      ))}
      {chosen.includes('unknown') && (
        <p className="quiet">Look at devices with an unknown result first: their job may have had its effect.</p>
      )}
      <EquivalentLines
        command={`rollout retry ${id} --states ${chosen.join(',')}`}
        method="POST"
        path={`/v1/rollouts/${id}/retry-failed`}
        body={body}
      />
    </FormDialog>
  );
}

/** Shows what the way back would do, then creates it as a draft. */
export function RollBackDialog({ rollout, onClose }: Props): ReactNode {
  const go = useGo();
  const params = { path: { rolloutId: rollout.id } };
  const plan = useQuery({
    queryKey: KEYS.rollBack.one(rollout.id),
    queryFn: ({ signal }) =>
      api.post('/v1/rollouts/{rolloutId}/roll-back', { params, body: { dryRun: true }, signal }) as Promise<
        Schema<'RolloutPlan'>
      >,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const make = useAction({
    run: () =>
      api.post('/v1/rollouts/{rolloutId}/roll-back', { params, body: { dryRun: false } }) as Promise<Schema<'Rollout'>>,
    done: 'Draft created: look at it, then start it',
    refreshes: ['rollouts'],
    after: ({ id }) => {
      onClose();
      go(`/rollouts/${id}`);
    },
  });
  return (
    <FormDialog
      title={`Plan the way back of ${rollout.name}`}
      send="Plan"
      busy={make.isPending}
      disabled={!plan.data || plan.data.total === 0}
      onSend={() => make.mutate()}
      onClose={onClose}
    >
      {plan.error ? (
        <Failure error={plan.error} />
      ) : plan.data ? (
        <PlanView plan={plan.data} kind={rollout.kind as Kind} policy={rollout.policy} />
      ) : (
        <Loading what="Planning the way back" />
      )}
      <EquivalentLines
        command={`rollout roll-back ${rollout.id} --yes`}
        method="POST"
        path={`/v1/rollouts/${rollout.id}/roll-back`}
        body={{}}
      />
    </FormDialog>
  );
}
