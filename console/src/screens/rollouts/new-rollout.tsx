import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { SelectField, TextField, TimeField } from '../../ui/field.js';
import { missingText } from '../../ui/leaving/missing-text.js';
import { useUnsavedFields } from '../../ui/leaving/unsaved.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Page } from '../../ui/page.js';
import { useSettled } from '../../ui/settled.js';
import { type SearchText, useSearchText } from '../../ui/to.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { asFields, gapOf, isShownAtField, newJob, readJob, specIn, withJson } from '../job-forms/job-draft.js';
import { isJobKind } from '../job-forms/job-fields.js';
import { JobForm } from '../job-forms/job-form.js';
import { CreateButtons } from './plan/create-buttons.js';
import { DefaultPlan } from './plan/default-plan.js';
import { formOfRollout } from './plan/form-of-rollout.js';
import { rolloutQuery } from './plan/rollout-query.js';
import { type Change, DAYS, emptyForm, numbersOf, type PlanForm, requestOf, suggestedName } from './plan-form.js';
import { usePattern } from './use-pattern.js';
import { sameCount, wantedOf } from './pictures/firmware-rows.js';
import { FirmwareTable } from './pictures/firmware-table.js';
import { PlanView } from './plan-view.js';
import { ThresholdFields, WaveFields, WindowFields } from './policy-fields.js';
import { useTypicalTime } from './plan/typical-time.js';
import { usePlan } from './plan/use-plan.js';
import styles from './rollouts.module.css';
import { KEYS } from '../../api/keys/query-keys.js';

/** Plans a rollout, from nothing or as another one was planned. */
export function NewRollout(): ReactNode {
  const [{ from }] = useSearchText();
  const { data, error } = useQuery({ ...rolloutQuery(from ?? ''), enabled: from !== undefined, staleTime: Infinity });
  if (from !== undefined && !data && !error)
    return (
      <Page title="Plan a rollout">
        <Loading />
      </Page>
    );
  return <Planning given={data && from !== undefined ? formOfRollout(data) : {}} />;
}

/** What happens to which devices is shown beside the form, before anything is stored. */
function Planning({ given }: { given: Partial<PlanForm> }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useUnsavedFields(box);
  const [search, changeSearch] = useSearchText();
  const [form, setForm] = useState(() => fromAddress(search, given));
  const artifacts = useList('/v1/artifacts', { key: KEYS.artifacts.firmware, query: { kind: 'firmware' } });
  const change: Change = (changed) => {
    setForm((before) => ({ ...before, ...changed }));
    const { job, selector } = { ...form, ...changed };
    const artifact = specIn(job)['artifactId'];
    if ('job' in changed || 'selector' in changed)
      changeSearch({
        kind: job.kind,
        artifact: typeof artifact === 'string' ? artifact : undefined,
        selector: selector || undefined,
        spec: undefined,
      });
  };
  const { body, missing } = requestOf(form, artifacts.rows);
  const { problem } = readJob(form.job);
  const gap = gapOf(problem);
  const planned = usePlan(body);
  const before = usePreview(useSettled(missing ? form.selector.trim() : ''), 'job.start');
  const pattern = usePattern(form);
  const typical = useTypicalTime(form.job.kind);
  const { firmware = [] } = planned.data?.plan ?? {};
  const same = sameCount(firmware, wantedOf(planned.data?.body.spec ?? {}, artifacts.rows));
  return (
    <Page title="Plan a rollout">
      <div ref={box} className={styles['planColumns']}>
        <div className="stack">
          <Card title="What, and where">
            <div className="stack">
              <TextField
                label="Name of the rollout"
                placeholder={body?.name ?? suggestedName(form)}
                maxLength={80}
                value={form.name}
                onChange={(event) => change({ name: event.target.value })}
              />
              <JobForm
                draft={form.job}
                onDraft={(job) => change({ job })}
                device={pattern}
                error={missing ? null : planned.error}
              >
                <SelectorChoice
                  permission="job.start"
                  locked="waitedFor"
                  value={form.selector}
                  onValue={(selector) => change({ selector })}
                />
              </JobForm>
            </div>
          </Card>
          <Policy form={form} change={change} />
        </div>
        <Card title="What will happen">
          <div className="stack" aria-live="polite">
            {missing && (gap === null || missing !== problem) && form.selector.trim() !== '' && (
              <p className="quiet">{missing}</p>
            )}
            {missing && form.selector.trim() !== '' && <SelectionPreview preview={before} locked="waitedFor" />}
            {missing && <DefaultPlan form={form} />}
            {!missing && planned.error ? (
              <Failure error={planned.error} onRetry={() => void planned.refetch()} placed={isShownAtField(form.job)} />
            ) : null}
            {!missing && !planned.error && !planned.data && <Loading what="Planning" />}
            {!missing && !planned.error && planned.data && (
              <PlanView
                plan={planned.data.plan}
                kind={form.job.kind}
                policy={policyShown(planned.data.body.policy, form.timeZone)}
                typical={typical}
                same={same}
                isVendor={planned.data.body.spec?.['source'] === 'vendor'}
                onHeld={(held) => change({ held })}
                firmware={
                  <FirmwareTable
                    lines={planned.data.plan.firmware}
                    spec={planned.data.body.spec ?? {}}
                    images={artifacts.rows}
                  />
                }
              />
            )}
            {!(planned.error && !missing) && (
              <div data-foot className={styles['act']}>
                <CreateButtons
                  planned={planned.isCurrent && !missing ? planned.data : undefined}
                  same={same}
                  missing={missingText([form.selector.trim() === '' && 'devices', gap ?? false])}
                  onStale={planned.refetch}
                />
              </div>
            )}
          </div>
        </Card>
      </div>
    </Page>
  );
}

/** The parts of a requested policy that the plan shows. */
function policyShown(policy: Schema<'RolloutPolicyInput'> | undefined, timeZone: string) {
  const windows = (policy?.windows ?? []).map((one) => ({
    ...one,
    days: one.days ?? [...DAYS],
    except: one.except ?? [],
  }));
  return {
    windows,
    timeZone: policy?.timeZone ?? timeZone,
    held: policy?.held ?? ('skip' as const),
    concurrency: policy?.concurrency,
    waves: policy?.waves,
  };
}

/** @param spec the parameters as JSON, of a link from another screen */
function fromAddress(
  { kind = 'firmware', artifact, selector = '', spec }: SearchText,
  given: Partial<PlanForm>,
): PlanForm {
  const known = isJobKind(kind) ? kind : 'firmware';
  const job = newJob(known, artifact ? { artifactId: artifact } : undefined);
  return emptyForm({ ...given, job: spec ? asFields(withJson(job, spec)) : job, selector });
}

function Policy({ form, change }: { form: PlanForm; change: Change }): ReactNode {
  return (
    <Card title="How">
      <div className="stack">
        <details className={styles['part']}>
          <summary>
            Waves <span className="quiet">{form.waves.length}, the first is the canary</span>
          </summary>
          <WaveFields form={form} change={change} />
        </details>
        <details className={styles['part']}>
          <summary>
            Thresholds <span className="quiet">{thresholdText(form)}</span>
          </summary>
          <ThresholdFields form={form} change={change} />
        </details>
        <details className={styles['part']}>
          <summary>
            Window{' '}
            <span className="quiet">
              {form.window ? `${form.window.from}–${form.window.to}` : 'at any time'}
              {form.startsAt && `, not before ${form.startsAt.replace('T', ' ')}`}
            </span>
          </summary>
          <div className="stack">
            <WindowFields form={form} change={change} />
            <TimeField
              label="Not before"
              type="datetime-local"
              zone={OWN_ZONE}
              hint={form.startsAt === '' && 'empty: now'}
              value={form.startsAt}
              onChange={(event) => change({ startsAt: event.target.value })}
            />
          </div>
        </details>
        <SelectField
          label="Devices of other rollouts"
          options={HELD}
          value={form.held}
          onChange={(event) => change({ held: event.target.value as PlanForm['held'] })}
        />
      </div>
    </Card>
  );
}

const HELD = [
  ['skip', 'Leave them out'],
  ['wait', 'Wait until the other rollout has done them'],
] as const;

function thresholdText(form: PlanForm): string {
  const { failures, percent } = numbersOf(form);
  if (failures.wrong !== null || percent.wrong !== null) return 'a field is wrong';
  const parts = [failures.value && `${failures.value} failures`, percent.value && `${percent.value} %`].filter(Boolean);
  return parts.length > 0 ? `pauses at ${parts.join(' or ')}` : 'never pauses by itself';
}
