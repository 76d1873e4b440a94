import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { ENDS_SOON_DAYS } from '../../api/limits/certificate-end.js';
import { readNumber } from '../../api/number-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { selectorError } from '../../api/problems.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { useSettled } from '../../ui/settled.js';
import { useGo } from '../../ui/to.js';
import { ActEffect } from '../jobs/acting/act-effect.js';

const TYPES = [
  ['server', 'server'],
  ['client', 'client'],
  ['ca', 'authority (CA)'],
  ['simple', 'simple'],
] as const;

type Type = (typeof TYPES)[number][0];

/** The word for a type of the API. */
export const typeText = (type: string): string =>
  type === 'tls' ? 'web page' : (TYPES.find(([one]) => one === type)?.[1] ?? type);

/** What the form holds at first. */
export interface ReissueOf {
  readonly selector: string;
  readonly type: Type;
  /** Of the files, without their endings; empty: the usual one. */
  readonly name: string;
}

/** The first choice: what needs it. */
export const ENDING_SOON = 'certificate<30d';

/** Devices whose certificate ends soon, by one click. */
const ENDING = [
  ['all', 'All devices'],
  [ENDING_SOON, 'Ends within 30 days'],
  ['certificate<90d', 'Ends within 90 days'],
] as const;

/** As the API takes them. */
export const DAYS = { min: 1, max: 36_500, isWhole: true };

const NAME = /^(.+)\.cert\.pem$/;

/** What issues a certificate of a device again; null where the gateway does not issue such ones. */
export function reissueOf({ file, type }: Schema<'DeviceCertificate'>): Omit<ReissueOf, 'selector'> | null {
  const known = TYPES.find(([one]) => one === type)?.[0];
  const name = NAME.exec(file ?? '')?.[1];
  return known && name ? { type: known, name: name === known ? '' : name } : null;
}

/** As a job takes it. */
export const specOf = (type: Type, name: string, days: number | null) => ({
  type,
  ...(type === 'simple' || name.trim() === '' ? {} : { name: name.trim() }),
  days: days ?? 0,
  replace: true,
});

interface DaysFieldProps {
  value: string;
  onValue: (value: string) => void;
}

/** How long the new certificate is valid. */
export function DaysField({ value, onValue }: DaysFieldProps): ReactNode {
  const days = readNumber(value, DAYS);
  return (
    <TextField
      label="Valid for days"
      inputMode="numeric"
      wrong={days.wrong}
      hint={
        (days.value ?? ENDS_SOON_DAYS) < ENDS_SOON_DAYS &&
        `Shorter than the ${countText(ENDS_SOON_DAYS, 'day')} of the rule: each is marked, and an alert opens, from its first day`
      }
      value={value}
      onChange={(event) => onValue(event.target.value)}
    />
  );
}

/** Issues certificates on many devices: a rollout over exactly the previewed ones, as a draft to look at and start. */
export function Reissue({ of, onClose }: { of: ReissueOf; onClose: () => void }): ReactNode {
  const [form, setForm] = useState({ days: '365', ...of });
  const go = useGo();
  const selector = useSettled(form.selector.trim());
  const preview = usePreview(selector, 'job.start');
  const digest = preview.data?.digest;
  const days = readNumber(form.days, DAYS);
  const body = {
    name: `Reissue ${form.type} certificates`,
    kind: 'certificates',
    spec: specOf(form.type, form.name, days.value),
    selector: form.selector.trim(),
    ...(digest === undefined ? {} : { expectedDigest: digest }),
    policy: {},
    dryRun: false,
  };
  const create = useAction({
    run: () => api.post('/v1/rollouts', { body }),
    done: 'The rollout is a draft; start it when it is right',
    refreshes: ['rollouts'],
    after: (made) => {
      onClose();
      if ('id' in made) go(`/rollouts/${made.id}`);
    },
    quiet: true,
  });
  return (
    <FormDialog
      title="Plan a reissue of certificates"
      send="Plan"
      busy={create.isPending}
      disabled={days.wrong !== null || !preview.data?.count || selector !== body.selector}
      missing={[body.selector === '' && 'devices']}
      onSend={() => create.mutate()}
      onClose={onClose}
    >
      <SelectorChoice
        permission="job.start"
        locked="waitedFor"
        choices={ENDING}
        value={form.selector}
        wrong={selectorError(create.error)}
        onValue={(chosen) => setForm({ ...form, selector: chosen })}
      />
      <SelectField
        label="Type"
        value={form.type}
        options={TYPES}
        onChange={(event) => setForm({ ...form, type: event.target.value as Type })}
      />
      {form.type !== 'simple' && (
        <TextField
          label="Name of the files"
          hint="Empty: the name that is usual for the type"
          value={form.name}
          onChange={(event) => setForm({ ...form, name: event.target.value })}
        />
      )}
      <DaysField value={form.days} onValue={(value) => setForm({ ...form, days: value })} />
      <ActEffect
        kind="certificates"
        does="Each device makes a new key and certificate in place of the one with this name, wave by wave; first you see the plan as a draft"
        count={preview.data?.count ?? 0}
        names={preview.data?.sample.map(({ name }) => name) ?? []}
      />
      {create.error ? <Failure error={create.error} /> : null}
      <EquivalentLines command="rollout apply -f rollout.yaml" method="POST" path="/v1/rollouts" body={body} />
    </FormDialog>
  );
}
