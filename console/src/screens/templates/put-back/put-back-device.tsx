import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import { type DeviceState } from '../drift-groups.js';
import { closeText, closeTitle } from '../sync-words.js';
import { AcceptRisk, DifferenceLines } from './put-back-parts.js';

/** Starts a job that sets one device to the published version. */
export function PutBackDevice({ state, onClose }: { state: DeviceState; onClose: () => void }): ReactNode {
  const { deviceId, device, template, differences, moreDifferences, desired } = state;
  const title = closeTitle(state.state, template, device);
  const [acceptRisk, setAcceptRisk] = useState(false);
  const body = { kind: 'reconcile' as const, spec: { template, acceptRisk } };
  const start = useAction({
    run: () => api.post('/v1/devices/{ref}/jobs', { params: { path: { ref: deviceId } }, body }),
    done: `${title}: the job has started`,
    opens: ({ id }) => ({ text: 'Open the job', to: `/jobs/${id}` }),
    refreshes: ['jobs', 'templates'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={title}
      send={closeText(state.state)}
      busy={start.isPending}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      <p>
        A job reads the device, and changes what differs from version {desired} then. It proves that the device is
        reachable after that, and takes the changes back where it is not.
      </p>
      <DifferenceLines of={differences} more={moreDifferences} />
      <AcceptRisk of={differences} isPart={moreDifferences > 0} isAccepted={acceptRisk} onChange={setAcceptRisk} />
      {start.error ? <Failure error={start.error} /> : null}
      <EquivalentLines
        command={`job start ${shellWord(device)} reconcile --set template=${template}${acceptRisk ? ' --set acceptRisk=true' : ''} --watch`}
        method="POST"
        path={`/v1/devices/${deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
