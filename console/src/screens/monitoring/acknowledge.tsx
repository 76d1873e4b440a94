import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextArea } from '../../ui/field.js';

/** Says who takes care of an alert. It stays open until its condition is over. */
export function Acknowledge({ alert, onClose }: { alert: Schema<'Alert'>; onClose: () => void }): ReactNode {
  const [note, setNote] = useState('');
  const { id, ruleName, deviceName, ruleNote } = alert;
  const body = { note: note.trim() };
  const acknowledge = useAction({
    run: () => api.post('/v1/monitoring/alerts/{alertId}/acknowledge', { params: { path: { alertId: id } }, body }),
    done: 'You take care of it; others see your name',
    refreshes: ['alerts'],
    after: onClose,
  });
  return (
    <FormDialog
      title={`Acknowledge: ${ruleName}`}
      send="Acknowledge"
      busy={acknowledge.isPending}
      onSend={() => acknowledge.mutate()}
      onClose={onClose}
    >
      <p className="foreign">
        Alert of <strong>{deviceName}</strong>
        {ruleNote && <span className="quiet">: {ruleNote}</span>}
      </p>
      <p className="quiet">It stays open until its condition is over. The audit has your name.</p>
      <TextArea
        label="Note"
        className="input prose"
        placeholder="A technician is on the way"
        rows={3}
        maxLength={2_000}
        autoFocus
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      <EquivalentLines
        command={`alert ack ${id} --note NOTE`}
        method="POST"
        path={`/v1/monitoring/alerts/${id}/acknowledge`}
        body={body}
      />
    </FormDialog>
  );
}
