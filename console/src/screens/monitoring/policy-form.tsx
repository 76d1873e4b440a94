import { type ReactNode, useDeferredValue, useId, useMemo, useState } from 'react';
import { useAction } from '../../api/action.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { api, type Schema } from '../../api/client.js';
import { readOptional } from '../../api/number-text.js';
import { fieldError, selectorError } from '../../api/problems.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { EveryField } from '../schedules/every-field.js';
import { PolicyPrice, type Priced, usePrice } from './policy-price.js';
import { METRIC_WORDS } from './words.js';

type Policy = Schema<'ListedMonitoringPolicy'>;
type Metric = Policy['metrics'][number];

/** As the API takes them. */
const BUDGET = { min: 1, max: 1_000_000, isWhole: true };
const FIRST_EVERY_S = 240;

const METRICS = Object.keys(METRIC_WORDS) as Metric[];

interface Form {
  readonly name: string;
  readonly selector: string;
  readonly every: number;
  readonly budget: string;
  readonly metrics: readonly Metric[];
  readonly enabled: boolean;
}

const formOf = (policy: Policy | null): Form => ({
  name: policy?.name ?? '',
  selector: policy?.selector ?? '',
  every: policy?.everySeconds ?? FIRST_EVERY_S,
  budget: policy?.budgetMb ? String(policy.budgetMb) : '',
  metrics: policy?.metrics ?? METRICS,
  enabled: policy?.enabled ?? true,
});

/** Creates or changes a policy; its price is shown as it is typed. @param policy null: a new one */
export function PolicyForm({ policy, onClose }: { policy: Policy | null; onClose: () => void }): ReactNode {
  const [form, setForm] = useState(() => formOf(policy));
  const budget = readOptional(form.budget, BUDGET);
  const { selector, metrics, every } = form;
  const isComplete = selector.trim() !== '' && metrics.length > 0 && budget.wrong === null;
  const priced = useMemo<Priced | null>(
    () =>
      isComplete
        ? {
            selector: selector.trim(),
            everySeconds: every,
            metrics: [...metrics],
            extra: policy?.extra ?? [],
            budgetMb: budget.value ?? null,
          }
        : null,
    [isComplete, selector, every, metrics, policy, budget.value],
  );
  const price = usePrice(useDeferredValue(priced));
  const save = useSave(policy, { ...priced!, name: form.name.trim(), enabled: form.enabled }, onClose);
  const text = (field: 'name' | 'budget', wrong: string | null, sent: string) => ({
    value: form[field],
    wrong: wrong ?? fieldError(save.error, sent),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <FormDialog
      title={policy ? 'Change the collection' : 'New collection'}
      send={policy ? 'Save collection' : 'Create collection'}
      busy={save.isPending}
      disabled={!priced || form.name.trim() === '' || !price.data || price.isPlaceholderData}
      missing={[
        form.name.trim() === '' && 'a name',
        selector.trim() === '' && 'devices',
        metrics.length === 0 && 'what is read',
      ]}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="all routers" autoFocus {...text('name', null, 'name')} />
      <SelectorChoice
        value={selector}
        wrong={selectorError(save.error)}
        onValue={(chosen) => setForm({ ...form, selector: chosen })}
      />
      <div className="columns">
        <EveryField
          label="How often"
          hint="Up to 4 minutes the session stays open; from 15 on, each sample has a login"
          value={every}
          onValue={(seconds) => setForm({ ...form, every: seconds })}
          wrong={fieldError(save.error, 'everySeconds')}
        />
        <TextField
          label="MB for each device and month"
          inputMode="numeric"
          hint="Empty: no limit. Above it a device is sampled less often"
          {...text('budget', budget.wrong, 'budgetMb')}
        />
      </div>
      <PolicyPrice price={price} />
      <MetricChoice chosen={metrics} onChange={(chosen) => setForm({ ...form, metrics: chosen })} />
      {policy && policy.extra.length > 0 && (
        <p className="small quiet foreign">Further numbers stay: {policy.extra.map(({ name }) => name).join(', ')}</p>
      )}
      <CheckField
        label="Enabled"
        checked={form.enabled}
        onChange={(event) => setForm({ ...form, enabled: event.target.checked })}
      />
      {save.error ? <Failure error={save.error} /> : null}
      <PolicyEquivalent policy={policy} body={{ ...priced, name: form.name.trim(), enabled: form.enabled }} />
    </FormDialog>
  );
}

function MetricChoice({
  chosen,
  onChange,
}: {
  chosen: readonly Metric[];
  onChange: (chosen: readonly Metric[]) => void;
}): ReactNode {
  const id = useId();
  const without = (metric: Metric) => chosen.filter((one) => one !== metric);
  return (
    <div className="field" role="group" aria-labelledby={id}>
      <span id={id}>What is read</span>
      {METRICS.map((metric) => (
        <CheckField
          key={metric}
          label={METRIC_WORDS[metric]}
          checked={chosen.includes(metric)}
          onChange={({ target }) => onChange(target.checked ? [...without(metric), metric] : without(metric))}
        />
      ))}
      {chosen.length === 0 && <span className="wrong">Choose at least one.</span>}
    </div>
  );
}

const LABELS = {
  name: 'Name',
  selector: 'Selector',
  everySeconds: 'Every',
  metrics: 'Values',
  extra: 'More values',
  budgetMb: 'Budget',
  enabled: 'Enabled',
};

function useSave(policy: Policy | null, body: Schema<'CreateMonitoringPolicy'>, onClose: () => void) {
  const path = { monitoringPolicyId: policy?.id ?? '' };
  const address = '/v1/monitoring/policies/{monitoringPolicyId}';
  const send = useUnchanged(policy, LABELS, () => api.answer('get', address, { params: { path } }));
  return useAction({
    run: () =>
      policy
        ? send((header) => api.put(address, { params: { path, header }, body }))
        : api.post('/v1/monitoring/policies', { body }),
    done: policy ? 'The collection is changed; it reads in your name' : 'Collection created; it reads in your name',
    refreshes: ['monitoring'],
    after: onClose,
    quiet: true,
  });
}

const PolicyEquivalent = ({ policy, body }: { policy: Policy | null; body: object }): ReactNode => (
  <EquivalentLines
    command={policy ? `monitoring replace ${policy.id} -f policy.yaml` : 'monitoring add NAME -f policy.yaml'}
    method={policy ? 'PUT' : 'POST'}
    path={`/v1/monitoring/policies${policy ? `/${policy.id}` : ''}`}
    body={body}
  />
);
