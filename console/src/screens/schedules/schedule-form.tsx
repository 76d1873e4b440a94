import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { fieldError } from '../../api/problems.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { asFields, isShownAtField, newJob, withJson } from '../job-forms/job-draft.js';
import { isJobKind } from '../job-forms/job-fields.js';
import { JobForm } from '../job-forms/job-form.js';
import { type Change, emptyForm, type PlanForm, requestOf, wave } from '../rollouts/plan-form.js';
import { ThresholdFields, WindowFields } from '../rollouts/policy-fields.js';
import { usePattern } from '../rollouts/use-pattern.js';
import { FIRST_CRON } from './usual-time.js';
import { rhythmText, zoneOf } from './rhythm.js';
import { SCHEDULE_ADDRESS, SCHEDULE_LABELS } from './schedule-address.js';
import { RhythmFields } from './rhythm-fields.js';
import parts from '../rollouts/rollouts.module.css';

type Schedule = Schema<'Schedule'>;

const FIRST = { job: newJob('backup'), stopPercent: '50', waves: [wave()] };

/** A schedule uses its sealed values at each run; the gateway keeps them for at most a year. */
const SEALED_DAYS = 365;

interface ScheduleFormProps {
  /** The one that is changed; null: a new one is added. */
  schedule: Schedule | null;
  onClose: () => void;
}

/**
 * A rollout that starts repeatedly. One that is changed acts in the name of the caller; the waves, thresholds and windows of its
 * rollouts stay.
 */
export function ScheduleForm({ schedule, onClose }: ScheduleFormProps): ReactNode {
  const [form, setForm] = useState(() => (schedule ? formOf(schedule) : emptyForm(FIRST)));
  const [cron, setCron] = useState<string>(() => (schedule ? cronOf(schedule.rhythm) : FIRST_CRON));
  const [isOnce, setOnce] = useState(schedule?.missed !== 'skip');
  const change: Change = (changed) => setForm((before) => ({ ...before, ...changed }));
  const { body: rollout, missing } = requestOf(form);
  const pattern = usePattern(form);
  const body = rollout && scheduleOf({ name: form.name, cron, timeZone: form.timeZone, isOnce, rollout, schedule });
  const send = useUnchanged(schedule, SCHEDULE_LABELS, () =>
    api.answer('get', SCHEDULE_ADDRESS, { params: { path: { scheduleId: schedule?.id ?? '' } } }),
  );
  const save = useAction({
    run: (given: Schema<'CreateSchedule'>) =>
      schedule === null
        ? api.post('/v1/schedules', { body: given })
        : send((header) =>
            api.put(SCHEDULE_ADDRESS, { params: { path: { scheduleId: schedule.id }, header }, body: given }),
          ),
    done: schedule ? 'The schedule is changed, and acts in your name' : 'Schedule added',
    refreshes: ['schedules'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={schedule ? `Change ${schedule.name}` : 'Add a schedule'}
      size="wide"
      send={schedule ? 'Save the schedule' : 'Add schedule'}
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
      <RhythmFields
        cron={cron}
        onCron={setCron}
        timeZone={form.timeZone}
        wrong={fieldError(save.error, 'cron')}
        present={schedule && rhythmText(schedule.rhythm)}
        zone={
          cron !== '' && (
            <TextField
              label="Time zone"
              hint="Of the schedule, and of windows on devices without their own"
              value={form.timeZone}
              onChange={(event) => change({ timeZone: event.target.value })}
            />
          )
        }
      />
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
          locked="waitedFor"
          value={form.selector}
          onValue={(selector) => change({ selector })}
        />
      </JobForm>
      {schedule ? (
        <p className="small quiet">Waves, thresholds and windows of its rollouts stay as they are.</p>
      ) : (
        <>
          <WindowFields form={form} change={change} hasZone={false} />
          <details className={parts['part']}>
            <summary>Thresholds</summary>
            <ThresholdFields form={form} change={change} />
          </details>
        </>
      )}
      {missing && <p className="small quiet">{missing}</p>}
      {save.error ? <Failure error={save.error} placed={isShownAtField(form.job)} /> : null}
      {body && (
        <EquivalentLines
          command={
            schedule
              ? `schedule replace ${schedule.id} -f schedule.yaml`
              : `schedule add ${shellWord(body.name)} -f schedule.yaml`
          }
          method={schedule ? 'PUT' : 'POST'}
          path={schedule ? `/v1/schedules/${schedule.id}` : '/v1/schedules'}
          body={body}
        />
      )}
    </FormDialog>
  );
}

const cronOf = (rhythm: Schedule['rhythm']): string => ('cron' in rhythm ? rhythm.cron : '');

function formOf({ name, rhythm, rollout: { kind, spec, selector } }: Schedule): PlanForm {
  const job = newJob(isJobKind(kind) ? kind : 'backup');
  const zone = zoneOf(rhythm);
  return emptyForm({
    ...FIRST,
    name,
    job: asFields(withJson(job, JSON.stringify(spec ?? {}))),
    selector: selector ?? '',
    ...(zone === null ? {} : { timeZone: zone }),
  });
}

interface ScheduleParts {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly isOnce: boolean;
  readonly rollout: Schema<'CreateRollout'>;
  readonly schedule: Schedule | null;
}

/** What is sent; of one that is changed, with all that the form does not show. */
function scheduleOf({ name, cron, timeZone, isOnce, rollout, schedule }: ScheduleParts): Schema<'CreateSchedule'> {
  const { kind, spec, selector } = rollout;
  const policy = schedule ? schedule.rollout.policy : rollout.policy;
  return {
    name: name.trim(),
    rhythm: schedule && cron.trim() === '' ? schedule.rhythm : { cron: cron.trim(), timeZone },
    missed: isOnce ? 'once' : 'skip',
    rollout: {
      name: schedule?.rollout.name ?? rollout.name,
      kind,
      ...(spec ? { spec } : {}),
      selector,
      ...(policy ? { policy } : {}),
    },
    ...(schedule ? { enabled: schedule.enabled } : {}),
  };
}
