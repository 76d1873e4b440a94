import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { useGo } from '../../../ui/to.js';
import { type DeviceState, type DriftGroup } from '../drift-groups.js';
import { PLAN, planTitle } from '../sync-words.js';
import { AcceptRisk, DifferenceLines } from './put-back-parts.js';

/** A selector has at most 16,000 characters. */
const NAMED_MAX = 300;

interface PutBackGroupProps {
  readonly template: string;
  readonly group: DriftGroup;
  /** Those of the group that can be put back. */
  readonly devices: readonly DeviceState[];
  readonly onClose: () => void;
}

/** Makes the draft of a rollout over the devices that have one difference. */
export function PutBackGroup({
  template,
  group: { difference, others },
  devices,
  onClose,
}: PutBackGroupProps): ReactNode {
  const [acceptRisk, setAcceptRisk] = useState(false);
  const go = useGo();
  const body: Schema<'CreateRollout'> = {
    name: `set to ${template}`,
    kind: 'reconcile',
    spec: { template, acceptRisk },
    selector: devices
      .slice(0, NAMED_MAX)
      .map(({ deviceId }) => `id:${deviceId}`)
      .join(' | '),
  };
  const make = useAction({
    run: () => api.post('/v1/rollouts', { body }),
    done: 'Rollout planned; nothing happens before it is started',
    refreshes: ['rollouts'],
    after: (rollout) => {
      onClose();
      if ('id' in rollout) go(`/rollouts/${rollout.id}`);
    },
    quiet: true,
  });
  const taken = Math.min(devices.length, NAMED_MAX);
  return (
    <FormDialog
      title={planTitle(taken)}
      send={PLAN}
      busy={make.isPending}
      onSend={() => make.mutate()}
      onClose={onClose}
    >
      <p>
        Changes no router now. It makes the draft of a rollout that applies {template} to {countText(taken, 'device')},
        a canary first. Look at its plan, then start it there.
      </p>
      <DifferenceLines of={[difference]} />
      {others > 0 && (
        <Notice>
          These devices have {countText(others, 'further difference')} from the template. The rollout closes them, too.
        </Notice>
      )}
      {taken < devices.length && (
        <Notice>
          One draft names at most {countText(NAMED_MAX, 'device')}. The button at the top takes all that differ.
        </Notice>
      )}
      <AcceptRisk
        of={devices.flatMap(({ differences }) => differences)}
        isPart={devices.some(({ moreDifferences }) => moreDifferences > 0)}
        isAccepted={acceptRisk}
        onChange={setAcceptRisk}
      />
      {make.error ? <Failure error={make.error} /> : null}
      <EquivalentLines command="rollout apply -f rollout.yaml" method="POST" path="/v1/rollouts" body={body} />
    </FormDialog>
  );
}
