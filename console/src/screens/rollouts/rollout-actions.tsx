import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { gatewayNow } from '../../api/clock.js';
import { useMay } from '../../api/may.js';
import { selfQuery } from '../../api/queries.js';
import { useFrozen } from '../../shell/use-frozen.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Facts } from '../../ui/page.js';
import { To } from '../../ui/to.js';
import { isDiscarded } from '../../ui/words/rollout-state.js';
import { effectOf, type Kind } from '../jobs/acting/effects.js';
import { kindTitle } from '../jobs/kinds.js';
import { RetryDialog, RollBackDialog } from './again-dialogs.js';
import { failedOf, takingPart } from './forecast.js';
import { startText } from './plan/start-text.js';

type Rollout = Schema<'RolloutWithWaves'>;
type Verb = 'start' | 'approve' | 'reject' | 'pause' | 'resume' | 'abort';
type OpenDialog = 'start' | 'approve' | 'abort' | 'retry' | 'back' | null;

const DONE: Readonly<Record<Verb, string>> = {
  start: 'Rollout started',
  approve: 'Rollout approved',
  reject: 'Sent back to its draft',
  pause: 'Rollout paused; running jobs finish',
  resume: 'Rollout resumed',
  abort: 'Rollout aborts',
};

const AFTER_START = new Set(['running', 'paused', 'finished', 'aborted']);

/** A rollout that runs is paused before it can be rolled back. */
const STOPPED = new Set(['paused', 'finished', 'aborted']);

const JUST_MADE_MS = 10 * 60_000;

/** Kinds that the gateway can roll back. */
const REVERSIBLE = new Set(['firmware', 'configure']);

/** While it runs only failures are worth another try; after its end also what was left out. */
const mayRetry = ({ counts, endedAt }: Rollout): boolean =>
  failedOf(counts) > 0 || (endedAt !== null && counts.skipped + counts.cancelled > 0);

function useVerb(rollout: Rollout, verb: Verb, after: () => void = () => undefined) {
  const params = { path: { rolloutId: rollout.id } };
  return useAction({
    run: () =>
      verb === 'approve'
        ? api.post('/v1/rollouts/{rolloutId}/approve', { params, body: { planDigest: rollout.planDigest } })
        : api.post(`/v1/rollouts/{rolloutId}/${verb}`, { params }),
    done: ({ state }) => doneText(verb, rollout, state),
    refreshes: ['rollouts', 'rollout'],
    after,
  });
}

function doneText(verb: Verb, { state: before, startedAt }: Rollout, state: string): string {
  if (verb === 'start' && state === 'awaiting_approval') return 'It waits for approval';
  if (verb !== 'abort' || startedAt !== null) return DONE[verb];
  return before === 'draft' ? 'Draft discarded' : 'Rollout discarded';
}

/** What can be done with a rollout in its state. */
export function RolloutActions({ rollout }: { rollout: Rollout }): ReactNode {
  const [open, setOpen] = useState<OpenDialog>(null);
  const may = useMay('rollout.manage');
  const mayApprove = useMay('rollout.approve');
  const frozen = useFrozen();
  const { data: self } = useQuery(selfQuery);
  const close = () => setOpen(null);
  const { state } = rollout;
  // Who has just made the plan reads beside the button what starts; later, or another person, is asked.
  const isFresh = rollout.createdByName === self?.name && gatewayNow() - Date.parse(rollout.createdAt) < JUST_MADE_MS;
  const isOpen = ['scheduled', 'running', 'paused', 'awaiting_approval'].includes(state);
  return (
    <>
      {state === 'awaiting_approval' && mayApprove && (
        <>
          <VerbButton rollout={rollout} verb="reject" text="Reject" />
          <Button kind="primary" onClick={() => setOpen('approve')}>
            Approve
          </Button>
        </>
      )}
      {may &&
        state === 'draft' &&
        (isFresh ? (
          <VerbButton rollout={rollout} verb="start" text="Start" isFirst />
        ) : (
          <Button kind="primary" onClick={() => setOpen('start')}>
            Start
          </Button>
        ))}
      {may && AFTER_START.has(state) && !isDiscarded(rollout) && mayRetry(rollout) && (
        <Button icon="refresh" onClick={() => setOpen('retry')}>
          Retry
        </Button>
      )}
      {may && STOPPED.has(state) && !isDiscarded(rollout) && REVERSIBLE.has(rollout.kind) && (
        <Button onClick={() => setOpen('back')}>Roll back</Button>
      )}
      {may && (state === 'draft' || rollout.endedAt !== null) && <PlanAgain rollout={rollout} />}
      {/* Beside the last one: what a pause brings appears before them, and nothing else is under the pointer. */}
      {may && (state === 'running' || state === 'scheduled') && (
        <VerbButton rollout={rollout} verb="pause" text="Pause" />
      )}
      {may && state === 'paused' && (
        <VerbButton rollout={rollout} verb="resume" text="Resume" isFirst disabled={frozen !== null} />
      )}
      {may && (isOpen || state === 'draft') && (
        <Button kind={state === 'draft' ? 'plain' : 'danger'} onClick={() => setOpen('abort')}>
          {state === 'draft' ? 'Discard' : 'Abort'}
        </Button>
      )}
      {open === 'start' && <StartDialog rollout={rollout} onClose={close} />}
      {open === 'approve' && <ApproveDialog rollout={rollout} onClose={close} />}
      {open === 'abort' && <AbortDialog rollout={rollout} onClose={close} />}
      {open === 'retry' && <RetryDialog rollout={rollout} onClose={close} />}
      {open === 'back' && <RollBackDialog rollout={rollout} onClose={close} />}
    </>
  );
}

/** The plan of a new rollout, filled with the name, the job, the devices and the waves of this one. */
function PlanAgain({ rollout: { id, kind, selector, spec, state } }: { rollout: Rollout }): ReactNode {
  if (selector === null) return null; // the reader sees a part of the devices
  return (
    <To to="/rollouts/new" search={{ kind, selector, spec: JSON.stringify(spec), from: id }} className="button">
      {state === 'draft' ? 'Plan it differently' : 'Plan the same again'}
    </To>
  );
}

function VerbButton({
  rollout,
  verb,
  text,
  isFirst = false,
  disabled = false,
}: {
  rollout: Rollout;
  verb: Verb;
  text: string;
  isFirst?: boolean;
  disabled?: boolean;
}): ReactNode {
  const action = useVerb(rollout, verb);
  return (
    <Button
      kind={isFirst ? 'primary' : 'plain'}
      disabled={disabled}
      busy={action.isPending}
      title={`fleetgate rollout ${verb} ${rollout.id}`}
      onClick={() => action.mutate()}
    >
      {text}
    </Button>
  );
}

/** Says on how many routers a draft begins. */
function StartDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }): ReactNode {
  const start = useVerb(rollout, 'start', onClose);
  const { id, name, counts } = rollout;
  return (
    <FormDialog
      title={`Start ${name}`}
      send={`Start on ${countText(takingPart(counts), 'device')}`}
      busy={start.isPending}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      <p className="foreign">{startText(rollout, gatewayNow()).replace(/^./, (first) => first.toUpperCase())}</p>
      <p className="quiet">Interrupts: {effectOf(rollout.kind as Kind).interrupts.toLowerCase()}.</p>
      <EquivalentLines command={`rollout start ${id}`} method="POST" path={`/v1/rollouts/${id}/start`} />
    </FormDialog>
  );
}

function ApproveDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }): ReactNode {
  const approve = useVerb(rollout, 'approve', onClose);
  const { id, name, kind, total, selector, createdByName, planDigest } = rollout;
  return (
    <FormDialog
      title={`Approve ${name}`}
      send="Approve"
      busy={approve.isPending}
      onSend={() => approve.mutate()}
      onClose={onClose}
    >
      <p className="quiet">After your approval it starts, at its time and in its windows.</p>
      <Facts
        of={[
          ['Job', kindTitle(kind)],
          ['Devices', `${total.toLocaleString('en')}${selector ? `: ${selector}` : ''}`],
          ['Waves', rollout.waves.map((wave) => wave.name).join(', ')],
          ['Created by', createdByName],
          ['Plan', <code key="plan">{planDigest.slice(0, 16)}…</code>],
        ]}
      />
      <EquivalentLines
        command={`rollout approve ${id} --plan-digest ${planDigest}`}
        method="POST"
        path={`/v1/rollouts/${id}/approve`}
        body={{ planDigest }}
      />
    </FormDialog>
  );
}

function AbortDialog({ rollout, onClose }: { rollout: Rollout; onClose: () => void }): ReactNode {
  const abort = useVerb(rollout, 'abort', onClose);
  const { id, name, counts, state } = rollout;
  const waiting = counts.waiting + counts.offline + counts.queued;
  const isDraft = state === 'draft';
  return (
    <Confirm
      title={isDraft ? `Discard ${name}` : `Abort ${name}`}
      send={isDraft ? 'Discard the draft' : 'Abort rollout'}
      {...(counts.running > 0 ? { typed: name } : {})}
      busy={abort.isPending}
      equivalent={{ command: `rollout abort ${id} --yes`, method: 'POST', path: `/v1/rollouts/${id}/abort` }}
      onConfirm={() => abort.mutate()}
      onClose={onClose}
    >
      {isDraft
        ? 'Nothing of it has begun. It stays in the list, as discarded.'
        : [
            waiting > 0 &&
              `${countText(waiting, 'device')} that ${pluralText(waiting, 'waits is', 'wait are')} cancelled.`,
            counts.running > 0 &&
              `${countText(counts.running, 'device')} that ${pluralText(counts.running, 'runs is', 'run are')} cancelled before the point of no return, and ${pluralText(counts.running, 'continues', 'continue')} to a verified end after it.`,
            counts.succeeded > 0 &&
              `${countText(counts.succeeded, 'device')} that ${pluralText(counts.succeeded, 'is done keeps what it', 'are done keep what they')} got.`,
            'An aborted rollout cannot be resumed.',
          ]
            .filter(Boolean)
            .join(' ')}
    </Confirm>
  );
}
