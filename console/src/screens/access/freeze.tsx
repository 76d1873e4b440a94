import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';

const WORD = 'freeze';

/** Stops all writes, to devices and to the gateway. */
export function Freeze({ onClose }: { onClose: () => void }): ReactNode {
  const [reason, setReason] = useState('');
  const [word, setWord] = useState('');
  const body = { kind: 'writes' as const, reason: reason.trim() || 'Frozen by a person in the console' };
  const freeze = useAction({
    run: () => api.post('/v1/locks', { body }),
    done: 'All writes are frozen',
    refreshes: ['locks', 'device', 'devices'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title="Freeze all writes"
      send="Freeze"
      danger
      busy={freeze.isPending}
      disabled={word !== WORD}
      onSend={() => freeze.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        Every write is refused, to all devices and to the gateway. Jobs wait, and rollouts pause. Jobs past their point
        of no return finish. Lifting the lock lets jobs go on; each rollout stays paused until a person resumes it.
      </p>
      <TextField
        label={`Type ${WORD} to confirm`}
        value={word}
        autoComplete="off"
        autoFocus
        onChange={(event) => setWord(event.target.value)}
      />
      <TextField
        label="Reason"
        hint="Shown to everyone whom the freeze stops"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {freeze.error ? <Failure error={freeze.error} /> : null}
      <EquivalentLines
        command={`lock set writes --reason ${shellWord(body.reason)}`}
        method="POST"
        path="/v1/locks"
        body={body}
      />
    </FormDialog>
  );
}
