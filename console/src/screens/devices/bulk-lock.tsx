import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';
import { endFlag, endOf, LENGTHS } from '../access/lock-length.js';
import { namesEach } from './choice-selector.js';

const GROWS = ' The lock is for the selector: devices that match it later are locked, too.';

interface LockDevicesProps {
  selector: string;
  /** Of the only device that the selector names. */
  name?: string;
  onClose: () => void;
}

/** Locks all devices of a selector: calls to them are refused. */
export function LockDevices({ selector, name, onClose }: LockDevicesProps): ReactNode {
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState('8');
  const preview = usePreview(selector, 'device.read');
  const expectedDigest = preview.data?.digest ?? '';
  const request = { kind: 'selector' as const, target: selector, reason, expectedDigest };
  const lock = useAction({
    run: () => api.post('/v1/locks', { body: { ...request, endsAt: endOf(hours) } }),
    done: name === undefined ? 'The devices are locked' : `${name} is locked`,
    opens: () => ({ text: 'Locks', to: '/access?tab=locks' }),
    refreshes: ['locks', 'devices', 'device'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={name === undefined ? 'Lock devices' : `Lock ${name}`}
      send="Lock"
      danger
      busy={lock.isPending}
      disabled={reason.trim() === '' || !preview.data}
      missing={[reason.trim() === '' && 'a reason']}
      onSend={() => lock.mutate()}
      onClose={onClose}
    >
      <SelectionPreview preview={preview} />
      <p className="quiet">
        {name === undefined
          ? `Calls to these devices are refused, reads too, and jobs on them wait.${namesEach(selector) ? '' : GROWS}`
          : 'Calls to the device are refused, reads too, and its jobs wait.'}
      </p>
      <TextField
        label="Reason"
        hint="Shown to everyone whom the lock stops"
        value={reason}
        autoFocus
        onChange={(event) => setReason(event.target.value)}
      />
      <SelectField
        label="How long"
        value={hours}
        options={LENGTHS}
        onChange={(event) => setHours(event.target.value)}
      />
      {lock.error ? (
        <Failure
          error={lock.error}
          onRetry={() => {
            lock.reset();
            void preview.refetch();
          }}
        />
      ) : null}
      <EquivalentLines
        command={`lock set selector ${shellWord(selector)} --reason ${shellWord(reason || 'REASON')}${endFlag(hours)}`}
        method="POST"
        path="/v1/locks"
        body={{ ...request, endsAt: endOf(hours) }}
      />
    </FormDialog>
  );
}
