import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { fieldError, selectorError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { readNumber, readOptional } from '../../api/number-text.js';
import { usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { useSettled } from '../../ui/settled.js';
import { PRESETS } from '../schedules/rhythm.js';
import { RhythmFields } from '../schedules/rhythm-fields.js';

/** As the API takes them. */
const COUNT = { min: 1, max: 1_000, isWhole: true };
const DAYS = { min: 1, max: 3_650, isWhole: true };

const FIRST = {
  name: '',
  selector: '',
  cron: PRESETS[0][0] as string,
  keepCount: '14',
  keepDays: '90',
  onlyChanges: true,
};

/** Creates a policy; its devices are previewed. */
export function NewPolicy({ onClose }: { onClose: () => void }): ReactNode {
  const [form, setForm] = useState(FIRST);
  const preview = usePreview(useSettled(form.selector.trim()), 'job.start');
  const body = bodyOf(form);
  const numbers = { keepCount: readNumber(form.keepCount, COUNT), keepDays: readOptional(form.keepDays, DAYS) };
  const isWrong = Object.values(numbers).some(({ wrong }) => wrong !== null);
  const add = useAction({
    run: () => api.post('/v1/backups/policies', { body }),
    done: 'Policy created',
    refreshes: ['backups'],
    after: onClose,
    quiet: true,
  });
  const text = (field: 'name' | 'keepCount' | 'keepDays') => ({
    value: form[field],
    wrong: (field in numbers && numbers[field as keyof typeof numbers].wrong) || fieldError(add.error, field),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <FormDialog
      title="New backup policy"
      send="Create policy"
      busy={add.isPending}
      disabled={isWrong || body.name === '' || body.selector === '' || !preview.data}
      missing={[body.name === '' && 'a name', body.selector === '' && 'devices']}
      onSend={() => add.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="nightly" autoFocus {...text('name')} />
      <SelectorChoice
        permission="job.start"
        value={form.selector}
        wrong={selectorError(add.error)}
        onValue={(selector) => setForm({ ...form, selector })}
      />
      <RhythmFields
        cron={form.cron}
        onCron={(cron) => setForm({ ...form, cron })}
        timeZone={body.rhythm.timeZone}
        wrong={fieldError(add.error, 'cron')}
      />
      <div className="columns">
        <TextField label="Newest backups to store" hint="Of each device" inputMode="numeric" {...text('keepCount')} />
        <TextField label="Days to store older ones" inputMode="numeric" hint="Empty: no limit" {...text('keepDays')} />
      </div>
      <CheckField
        label="Store a backup only if it differs from the one before"
        checked={form.onlyChanges}
        onChange={(event) => setForm({ ...form, onlyChanges: event.target.checked })}
      />
      {add.error ? <Failure error={add.error} /> : null}
      <EquivalentLines
        command="backup-policy add NAME -f policy.yaml"
        method="POST"
        path="/v1/backups/policies"
        body={body}
      />
    </FormDialog>
  );
}

function bodyOf({ name, selector, cron, keepCount, keepDays, onlyChanges }: typeof FIRST) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return {
    name: name.trim(),
    selector: selector.trim(),
    rhythm: { cron: cron.trim(), timeZone },
    keepCount: readNumber(keepCount, COUNT).value ?? COUNT.max,
    keepDays: readOptional(keepDays, DAYS).value ?? null,
    onlyChanges,
  };
}
