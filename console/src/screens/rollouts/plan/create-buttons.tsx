import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { useMay } from '../../../api/may.js';
import { Button } from '../../../ui/button.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import { useGo } from '../../../ui/to.js';
import styles from '../rollouts.module.css';
import { createRollout } from './create-rollout.js';
import { planSums } from './plan-sums.js';
import { type PlannedRollout } from './use-plan.js';

/** Creates the planned rollout, and starts it where its plan is still the one that was read; another one stays a draft. */
export function CreateButtons({
  planned,
  missing,
  same,
  onStale,
}: {
  planned: PlannedRollout | undefined;
  /** What keeps it from being planned, in words; empty: nothing. */
  missing: string;
  /** How many devices have what they would get. */
  same: number;
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
  const sums = isReady ? planSums(planned.plan, same, planned.body.spec?.['source'] === 'vendor') : undefined;
  const isDone = sums?.gets === 0;
  // What is missing now may be there at a time to come.
  const isWork = Boolean(sums?.isWork) || (isReady && !isDone && planned.body.startsAt !== undefined);
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
        {sums && <span className={`small ${styles['partShort']}`}>{sums.headline}</span>}
        <Button
          kind={isWork ? 'primary' : 'plain'}
          icon="play"
          busy={create.isPending}
          disabled={!isWork}
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

/** Why a start would do nothing now. */
function nothingText({ total }: PlannedRollout['plan'], isDone: boolean): string {
  if (total === 0) return 'Nothing to start: no device takes part.';
  return isDone
    ? 'Nothing to do: each device has it already.'
    : 'Nothing would start now: see above. A draft can wait for it.';
}
