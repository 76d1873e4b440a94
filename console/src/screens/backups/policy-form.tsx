import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { fieldError, selectorError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { readNumber, readOptional } from '../../api/number-text.js';
import { usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { useSettled } from '../../ui/settled.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { FIRST_CRON } from '../schedules/usual-time.js';
import { rhythmText, zoneOf } from '../schedules/rhythm.js';
import { POLICY_ADDRESS, POLICY_LABELS } from './change-policy.js';
import { RhythmFields } from '../schedules/rhythm-fields.js';

type Policy = Schema<'BackupPolicy'>;

/** As the API takes them. */
const COUNT = { min: 1, max: 1_000, isWhole: true };
const DAYS = { min: 1, max: 3_650, isWhole: true };

const FIRST = {
  name: '',
  selector: '',
  cron: FIRST_CRON as string,
  keepCount: '14',
  keepDays: '90',
  onlyChanges: true,
};

interface PolicyFormProps {
  /** The one that is changed; null: a new one is made. */
  policy: Policy | null;
  onClose: () => void;
}

/** Creates a policy, or changes one, which then acts in the name of the caller; its devices are previewed. */
export function PolicyForm({ policy, onClose }: PolicyFormProps): ReactNode {
  const [form, setForm] = useState(() => (policy ? formOf(policy) : FIRST));
  const send = useUnchanged(policy, POLICY_LABELS, () =>
    api.answer('get', POLICY_ADDRESS, { params: { path: { policyId: policy?.id ?? '' } } }),
  );
  const preview = usePreview(useSettled(form.selector.trim()), 'job.start');
  const body = bodyOf(form, policy?.rhythm);
  const numbers = { keepCount: readNumber(form.keepCount, COUNT), keepDays: readOptional(form.keepDays, DAYS) };
  const isWrong = Object.values(numbers).some(({ wrong }) => wrong !== null);
  const add = useAction({
    run: () =>
      policy === null
        ? api.post('/v1/backups/policies', { body })
        : send((header) =>
            api.put(POLICY_ADDRESS, {
              params: { path: { policyId: policy.id }, header },
              body: { ...body, enabled: policy.enabled },
            }),
          ),
    done: policy ? 'The policy is changed, and acts in your name' : 'Policy created',
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
      title={policy ? `Change ${policy.name}` : 'New backup policy'}
      send={policy ? 'Save the policy' : 'Create policy'}
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
        timeZone={zoneOf(body.rhythm) ?? undefined}
        present={policy && rhythmText(policy.rhythm)}
        wrong={fieldError(add.error, 'cron')}
      />
      <div className="columns">
        <TextField
          label="Backups per device, at most"
          hint="The oldest go first"
          inputMode="numeric"
          {...text('keepCount')}
        />
        <TextField
          label="None older than, days"
          hint="Empty: however old. The newest of a device stays."
          inputMode="numeric"
          {...text('keepDays')}
        />
      </div>
      <CheckField
        label="Store a backup only if it differs from the one before"
        checked={form.onlyChanges}
        onChange={(event) => setForm({ ...form, onlyChanges: event.target.checked })}
      />
      {add.error ? <Failure error={add.error} /> : null}
      <EquivalentLines
        command={policy ? `backup-policy replace ${policy.id} -f policy.yaml` : 'backup-policy add NAME -f policy.yaml'}
        method={policy ? 'PUT' : 'POST'}
        path={policy ? `/v1/backups/policies/${policy.id}` : '/v1/backups/policies'}
        body={body}
      />
    </FormDialog>
  );
}

function formOf({ name, selector, rhythm, keepCount, keepDays, onlyChanges }: Policy): typeof FIRST {
  return {
    name,
    selector: selector ?? '',
    cron: 'cron' in rhythm ? rhythm.cron : '',
    keepCount: String(keepCount),
    keepDays: keepDays === null ? '' : String(keepDays),
    onlyChanges,
  };
}

/** @param present the rhythm that it has; its time zone stays, and all of it where no time is chosen */
function bodyOf(
  { name, selector, cron, keepCount, keepDays, onlyChanges }: typeof FIRST,
  present: Policy['rhythm'] | undefined,
) {
  const timeZone = (present && zoneOf(present)) ?? OWN_ZONE;
  return {
    name: name.trim(),
    selector: selector.trim(),
    rhythm: present && cron.trim() === '' ? present : { cron: cron.trim(), timeZone },
    keepCount: readNumber(keepCount, COUNT).value ?? COUNT.max,
    keepDays: readOptional(keepDays, DAYS).value ?? null,
    onlyChanges,
  };
}
