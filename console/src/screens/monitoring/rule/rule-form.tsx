import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { useUnchanged } from '../../../api/use-unchanged.js';
import { api, type Schema } from '../../../api/client.js';
import { readNumber } from '../../../api/number-text.js';
import { fieldError, selectorError } from '../../../api/problems.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { usePreview } from '../../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { useSettled } from '../../../ui/settled.js';
import { ConditionField } from './condition-field.js';
import { clearOf, partsOf, selectorOf } from './conditions.js';
import { RuleTrial } from './rule-trial.js';
import { SEVERITIES } from '../severity.js';
import { ToldLine } from './told.js';
import styles from './rule.module.css';

type Rule = Schema<'AlertRule'>;

/** As the API takes them, in minutes. */
const MINUTES = { min: 0, max: 10_080 };

const formOf = (rule: Rule | null) => ({
  name: rule?.name ?? '',
  selector: rule?.selector ?? '',
  clearSelector: rule?.clearSelector ?? '',
  forMinutes: String((rule?.forSeconds ?? 300) / 60),
  clearMinutes: String((rule?.clearAfterSeconds ?? 300) / 60),
  severity: rule?.severity ?? ('warning' as const),
  note: rule?.note ?? '',
  enabled: rule?.enabled ?? true,
});

type Form = ReturnType<typeof formOf>;
type TextName = 'name' | 'clearSelector' | 'forMinutes' | 'clearMinutes';

/** Creates or changes a rule; the devices that match now are shown. @param rule null: a new one */
export function RuleForm({ rule, onClose }: { rule: Rule | null; onClose: () => void }): ReactNode {
  const [form, setForm] = useState(() => formOf(rule));
  const preview = usePreview(useSettled(form.selector.trim()), 'device.read');
  const times = {
    forMinutes: readNumber(form.forMinutes, MINUTES),
    clearMinutes: readNumber(form.clearMinutes, MINUTES),
  };
  const isWrong = times.forMinutes.wrong !== null || times.clearMinutes.wrong !== null;
  const body = bodyOf(form);
  const save = useSave(rule, body, onClose);
  // The end of the alert follows the condition, until a person gives it another one.
  const choose = (selector: string) => {
    const isOwn = form.clearSelector.trim() !== clearOf(form.selector);
    setForm({ ...form, selector, ...(isOwn ? {} : { clearSelector: clearOf(selector) }) });
  };
  const text = (field: TextName, sent: string, wrong: string | null = null) => ({
    value: form[field],
    wrong: wrong ?? fieldError(save.error, sent),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [field]: event.target.value }),
  });
  return (
    <FormDialog
      title={rule ? 'Change the rule' : 'New rule'}
      send={rule ? 'Save rule' : 'Create rule'}
      busy={save.isPending}
      disabled={isWrong || body.name === '' || body.selector === '' || !preview.data}
      missing={[body.name === '' && 'a name', body.selector === '' && 'what is watched']}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="weak signal" autoFocus {...text('name', 'name')} />
      <RuleSelector selector={form.selector} wrong={selectorError(save.error)} onSelector={choose} />
      <div className={styles['times']}>
        <TextField
          label="Opens after minutes"
          inputMode="decimal"
          {...text('forMinutes', 'forSeconds', times.forMinutes.wrong)}
        />
        <SelectField
          label="Severity"
          value={form.severity}
          options={SEVERITIES}
          onChange={({ target }) => setForm({ ...form, severity: target.value as Form['severity'] })}
        />
      </div>
      <ToldLine />
      <RuleTrial condition={isWrong || !preview.data ? null : conditionOf(body)} />
      <TextArea
        label="What to do"
        className="input prose"
        rows={2}
        maxLength={2_000}
        value={form.note}
        onChange={({ target }) => setForm({ ...form, note: target.value })}
      />
      <details className={styles['more']} open={times.clearMinutes.wrong !== null || undefined}>
        <summary>
          More{' '}
          <span className="quiet">
            {form.clearSelector.trim() === '' ? 'closes when a device no longer matches' : 'closes with a margin'}
          </span>
        </summary>
        <div className="stack">
          <TextField
            label="Closes after minutes"
            inputMode="decimal"
            {...text('clearMinutes', 'clearAfterSeconds', times.clearMinutes.wrong)}
          />
          <TextField
            label="It is over when a device also meets"
            hint="A selector, such as rsrp>-105. Empty: when the device no longer matches"
            spellCheck={false}
            {...text('clearSelector', 'clearSelector')}
          />
        </div>
      </details>
      <CheckField
        label="Enabled"
        checked={form.enabled}
        onChange={({ target }) => setForm({ ...form, enabled: target.checked })}
      />
      {save.error ? <Failure error={save.error} /> : null}
      <EquivalentLines
        command={rule ? `rule replace ${rule.id} -f rule.yaml` : 'rule add NAME -f rule.yaml'}
        method={rule ? 'PUT' : 'POST'}
        path={`/v1/monitoring/rules${rule ? `/${rule.id}` : ''}`}
        body={body}
      />
    </FormDialog>
  );
}

interface RuleSelectorProps {
  selector: string;
  wrong: string | null;
  onSelector: (selector: string) => void;
}

/** The condition and the devices of a rule by choices, or both as the text of one selector. */
function RuleSelector({ selector, wrong, onSelector }: RuleSelectorProps): ReactNode {
  const parts = partsOf(selector);
  return (
    <>
      <ConditionField
        condition={parts?.condition ?? null}
        isOther={parts === null}
        onCondition={(condition) => onSelector(selectorOf({ condition, devices: parts?.devices ?? '' }))}
      />
      <SelectorChoice
        label="On which devices"
        hint="A selector, such as state:offline or rsrp<-110 & site:vilnius/*"
        emptyIsAll
        value={parts ? parts.devices : selector}
        wrong={wrong}
        onValue={(devices) => onSelector(parts ? selectorOf({ ...parts, devices }) : devices)}
        whole={{
          selector,
          onSelector,
          label: 'Devices that need attention',
          none: 'Devices that match now are counted here.',
        }}
      />
    </>
  );
}

const LABELS = {
  name: 'Name',
  selector: 'Devices that need attention',
  forSeconds: 'Opens after',
  clearAfterSeconds: 'Closes after',
  clearSelector: 'It is over when',
  severity: 'Severity',
  note: 'What to do',
  enabled: 'Enabled',
};

function useSave(rule: Rule | null, body: Schema<'CreateAlertRule'>, onClose: () => void) {
  const path = { ruleId: rule?.id ?? '' };
  const address = '/v1/monitoring/rules/{ruleId}';
  const send = useUnchanged(rule, LABELS, () => api.answer('get', address, { params: { path } }));
  return useAction({
    run: () =>
      rule
        ? send((header) => api.put(address, { params: { path, header }, body }))
        : api.post('/v1/monitoring/rules', { body }),
    done: rule ? 'The rule is changed; it sees what you may see' : 'Rule created; it sees what you may see',
    refreshes: ['alert-rules', 'alerts'],
    after: onClose,
    quiet: true,
  });
}

const secondsOf = (minutes: string): number => Math.round((readNumber(minutes, MINUTES).value ?? 0) * 60);

const bodyOf = ({ name, selector, clearSelector, forMinutes, clearMinutes, severity, note, enabled }: Form) => ({
  name: name.trim(),
  selector: selector.trim(),
  clearSelector: clearSelector.trim() || null,
  forSeconds: secondsOf(forMinutes),
  clearAfterSeconds: secondsOf(clearMinutes),
  severity,
  note: note.trim(),
  enabled,
});

const conditionOf = ({ selector, clearSelector, forSeconds, clearAfterSeconds }: ReturnType<typeof bodyOf>) => ({
  selector,
  clearSelector,
  forSeconds,
  clearAfterSeconds,
});
