import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { isShownAtField, newJob } from '../job-forms/job-draft.js';
import { JobForm } from '../job-forms/job-form.js';
import { type Change, emptyForm, requestOf, wave } from '../rollouts/plan-form.js';
import { ThresholdFields, WindowFields } from '../rollouts/policy-fields.js';
import { usePattern } from '../rollouts/use-pattern.js';
import { PRESETS } from './rhythm.js';
import { RhythmFields } from './rhythm-fields.js';
import parts from '../rollouts/rollouts.module.css';

/** A schedule uses its sealed values at each run; the gateway keeps them for at most a year. */
const SEALED_DAYS = 365;

/** A rollout that starts repeatedly. */
export function NewSchedule({ onClose }: { onClose: () => void }): ReactNode {
  const [form, setForm] = useState(() => emptyForm({ job: newJob('backup'), stopPercent: '50', waves: [wave()] }));
  const [cron, setCron] = useState<string>(PRESETS[0][0]);
  const [isOnce, setOnce] = useState(true);
  const change: Change = (changed) => setForm((before) => ({ ...before, ...changed }));
  const { body: rollout, missing } = requestOf(form);
  const pattern = usePattern(form);
  const body = rollout && scheduleOf(form.name, cron, form.timeZone, isOnce, rollout);
  const save = useAction({
    run: (given: Schema<'CreateSchedule'>) => api.post('/v1/schedules', { body: given }),
    done: 'Schedule added',
    refreshes: ['schedules'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title="Add a schedule"
      size="wide"
      send="Add schedule"
      busy={save.isPending}
      disabled={!body || form.name.trim() === ''}
      missing={[form.name.trim() === '' && 'a name', form.selector.trim() === '' && 'devices']}
      onSend={() => body && save.mutate(body)}
      onClose={onClose}
    >
      <TextField
        label="Name of the schedule"
        value={form.name}
        maxLength={80}
        onChange={(event) => change({ name: event.target.value })}
      />
      <RhythmFields cron={cron} onCron={setCron} />
      <CheckField
        label="Catch up once after runs that were missed"
        checked={isOnce}
        onChange={(event) => setOnce(event.target.checked)}
      />
      <JobForm
        draft={form.job}
        onDraft={(job) => change({ job })}
        device={pattern}
        sealedDays={SEALED_DAYS}
        error={save.error}
      >
        <SelectorChoice
          hint="Read again at each run, such as tag:pump & site:vilnius/*"
          permission="job.start"
          value={form.selector}
          onValue={(selector) => change({ selector })}
        />
      </JobForm>
      <WindowFields form={form} change={change} />
      <details className={parts['part']}>
        <summary>Thresholds</summary>
        <ThresholdFields form={form} change={change} />
      </details>
      {missing && <p className="small quiet">{missing}</p>}
      {save.error ? <Failure error={save.error} placed={isShownAtField(form.job)} /> : null}
      {body && (
        <EquivalentLines
          command={`schedule add ${shellWord(body.name)} -f schedule.yaml`}
          method="POST"
          path="/v1/schedules"
          body={body}
        />
      )}
    </FormDialog>
  );
}

function scheduleOf(
  name: string,
  cron: string,
  timeZone: string,
  isOnce: boolean,
  rollout: Schema<'CreateRollout'>,
): Schema<'CreateSchedule'> {
  const { kind, spec, selector, policy } = rollout;
  return {
    name: name.trim(),
    rhythm: { cron: cron.trim(), timeZone },
    missed: isOnce ? 'once' : 'skip',
    rollout: { name: rollout.name, kind, ...(spec ? { spec } : {}), selector, ...(policy ? { policy } : {}) },
  };
}
