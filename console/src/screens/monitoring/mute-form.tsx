import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { inHours } from '../../api/clock.js';
import { shellWord } from '../../api/equivalents.js';
import { selectorError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { useSettled } from '../../ui/settled.js';
import { Failure } from '../../ui/messages.js';
import { momentText, useNow } from '../../ui/time.js';
import { LENGTHS } from './mute-lengths.js';

interface MuteFormProps {
  /** Whose device and rule it begins with; null: any devices, all rules. */
  alert: Schema<'Alert'> | null;
  /** Which devices are chosen first, without an alert. */
  of?: string;
  onClose: () => void;
}

/** Leaves devices out of notifications for a time. */
export function MuteForm({ alert, of = '', onClose }: MuteFormProps): ReactNode {
  const [selector, setSelector] = useState(alert ? `id:${alert.deviceId}` : of);
  const [rules, setRules] = useState<string>(alert ? 'one' : 'all');
  const [hours, setHours] = useState('8');
  const [reason, setReason] = useState('');
  const now = useNow();
  const preview = usePreview(useSettled(selector.trim()), 'device.read');
  const ruleId = alert && rules === 'one' ? alert.ruleId : null;
  const until = inHours(Number(hours));
  const body = { selector: selector.trim(), ruleId, until, reason: reason.trim() };
  const mute = useAction({
    run: () => api.post('/v1/monitoring/mutes', { body: { ...body, until: inHours(Number(hours)) } }),
    done: 'Nothing is sent about these devices for that time',
    opens: () => ({ text: 'Mutes', to: '/monitoring?tab=mutes' }),
    refreshes: ['mutes'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title="Mute devices"
      send="Mute"
      busy={mute.isPending}
      disabled={body.reason === '' || !preview.data}
      missing={[body.selector === '' && 'devices', body.reason === '' && 'a reason']}
      onSend={() => mute.mutate()}
      onClose={onClose}
    >
      <p className="quiet">Nothing is sent about these devices. Their alerts open and close as usual.</p>
      {alert ? (
        <SelectionPreview preview={preview} />
      ) : (
        <SelectorChoice value={selector} wrong={selectorError(mute.error)} onValue={setSelector} />
      )}
      {alert && (
        <SelectField
          label="Of which rules"
          value={rules}
          options={[
            ['one', `“${alert.ruleName}” alone`],
            ['all', 'All rules'],
          ]}
          onChange={(event) => setRules(event.target.value)}
        />
      )}
      <SelectField
        label="How long"
        value={hours}
        options={LENGTHS}
        hint={`until ${momentText(until, now)}`}
        onChange={(event) => setHours(event.target.value)}
      />
      <TextField
        label="Reason"
        placeholder="Power works"
        maxLength={500}
        autoFocus={alert !== null}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {mute.error ? <Failure error={mute.error} /> : null}
      <EquivalentLines
        command={`mute add -l ${shellWord(body.selector || 'SELECTOR')} --until ${hours}h --reason ${shellWord(body.reason || 'REASON')}${ruleId ? ` --rule-id ${ruleId}` : ''}`}
        method="POST"
        path="/v1/monitoring/mutes"
        body={body}
      />
    </FormDialog>
  );
}
