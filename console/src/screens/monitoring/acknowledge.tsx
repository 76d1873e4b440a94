import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextArea } from '../../ui/field.js';
import { alertTexts } from './alert-cause.js';

interface AcknowledgeProps {
  /** Of one rule, at least one. */
  alerts: readonly Schema<'Alert'>[];
  onClose: () => void;
}

/** Says who takes care of alerts. They stay open until their condition is over. */
export function Acknowledge({ alerts, onClose }: AcknowledgeProps): ReactNode {
  const [note, setNote] = useState('');
  const { id, ruleName, deviceName, ruleNote } = alerts[0]!;
  const isOne = alerts.length === 1;
  const body = { note: note.trim() };
  const acknowledge = useAction({
    // One after the other: those before one that is refused are taken, and a further try changes nothing of them.
    run: async () => {
      for (const { id: alertId } of alerts)
        await api.post('/v1/monitoring/alerts/{alertId}/acknowledge', { params: { path: { alertId } }, body });
    },
    done: isOne ? 'You take care of it; others see your name' : 'You take care of them; others see your name',
    refreshes: ['alerts'],
    after: onClose,
  });
  return (
    <FormDialog
      title={`Acknowledge: ${isOne ? alertTexts(alerts[0]!).title : ruleName}`}
      send="Acknowledge"
      busy={acknowledge.isPending}
      onSend={() => acknowledge.mutate()}
      onClose={onClose}
    >
      <p className="foreign">
        {isOne ? 'Alert of ' : `${countText(alerts.length, 'alert')}: `}
        <strong>{isOne ? deviceName : alerts.map((alert) => alert.deviceName).join(', ')}</strong>
        {ruleNote && <span className="quiet">: {ruleNote}</span>}
      </p>
      <p className="quiet">
        {isOne ? 'It stays open until its condition is over.' : 'Each stays open until its condition is over.'} The
        audit has your name.
      </p>
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
