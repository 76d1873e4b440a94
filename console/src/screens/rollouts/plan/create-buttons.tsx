import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { numberText, pluralText } from '../../../api/amount-text.js';
import { useMay } from '../../../api/may.js';
import { Button } from '../../../ui/button.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import { useGo } from '../../../ui/to.js';
import styles from '../rollouts.module.css';
import { createRollout } from './create-rollout.js';
import { type PlannedRollout } from './use-plan.js';

/** Creates the planned rollout, and starts it where its plan is still the one that was read; another one stays a draft. */
export function CreateButtons({
  planned,
  missing,
  isDone,
  onStale,
}: {
  planned: PlannedRollout | undefined;
  /** What keeps it from being planned, in words; empty: nothing. */
  missing: string;
  /** Each device has what it would get. */
  isDone: boolean;
  onStale: () => unknown;
}): ReactNode {
  const go = useGo();
  const may = useMay('rollout.manage');
  const create = useAction({
    run: ({ planned: { body, plan }, isStart }: { planned: PlannedRollout; isStart: boolean }) =>
      createRollout(body, (digest) => isStart && digest === plan.digest),
    done: ({ state }) => (state === 'draft' ? 'Draft created' : 'Rollout started'),
    refreshes: ['rollouts', 'rollout'],
    after: ({ id }) => go(`/rollouts/${id}`),
    quiet: true,
  });
  if (!may) return <p className="quiet">To create it you need “plan, start, pause and abort rollouts”.</p>;
  const isReady = planned !== undefined && planned.plan.total > 0;
  const isWork = isReady && planned.plan.ready > 0 && !isDone;
  const nothing = planned && !isWork ? nothingText(planned.plan, isDone) : '';
  const send = (isStart: boolean) => planned && create.mutate({ planned, isStart });
  return (
    <div className="stack">
      {create.error ? (
        <Failure
          error={create.error}
          onRetry={() => {
            create.reset();
            onStale();
          }}
        />
      ) : null}
      <div className="row">
        {planned && <span className={`small ${styles['partShort']}`}>{partText(planned.plan)}</span>}
        <Button
          kind={isWork ? 'primary' : 'plain'}
          icon="play"
          busy={create.isPending}
          disabled={!isReady || isDone}
          onClick={() => send(true)}
        >
          Create and start
        </Button>
        <Button disabled={!isReady || isDone || create.isPending} onClick={() => send(false)}>
          Create a draft
        </Button>
        {(missing || nothing) && <span className="small quiet">{missing || nothing}</span>}
      </div>
      {planned && (
        <EquivalentLines
          command="rollout apply -f rollout.yaml"
          method="POST"
          path="/v1/rollouts"
          body={planned.body}
        />
      )}
    </div>
  );
}

/** `4 take part, 3 not now`: where the plan is out of sight. */
function partText({ total, ready }: PlannedRollout['plan']): string {
  const part = `${numberText(total)} ${pluralText(total, 'takes', 'take')} part`;
  return ready < total ? `${part}, ${numberText(total - ready)} not now` : part;
}

/** Why a start would do nothing now. */
function nothingText({ total }: PlannedRollout['plan'], isDone: boolean): string {
  if (total === 0) return 'Nothing to start: no device takes part.';
  return isDone ? 'Nothing to do: each device has it already.' : 'Nothing would be done now: see above.';
}
