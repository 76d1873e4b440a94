import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countUpToText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { useMay } from '../../api/may.js';
import { RUNNING_SHOWN, runningJobsQuery, runningRolloutsQuery } from '../../api/queries.js';
import { selectorError } from '../../api/problems.js';
import { usePreview } from '../../ui/devices/selection-preview.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { useSettled } from '../../ui/settled.js';
import { endFlag, endOf, LENGTHS } from './lock-length.js';

const WORD = 'freeze';
const DEFAULT_REASON = 'Frozen by a person in the console';

/** Without devices it is all writes, also those to the gateway. */
const WRITES = [['', 'All writes, everywhere']] as const;

/** Stops all writes, to devices and to the gateway, or all calls to the devices of a selector. */
export function Freeze({ onClose }: { onClose: () => void }): ReactNode {
  const [form, setForm] = useState({ word: '', reason: '', where: '', hours: '' });
  const change = (field: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [field]: event.target.value });
  const selector = useSettled(form.where.trim());
  const preview = usePreview(selector, 'device.read');
  const reason = form.reason.trim() || DEFAULT_REASON;
  const lock = lockOf(selector, reason, preview.data?.digest);
  const freeze = useAction({
    run: () => api.post('/v1/locks', { body: { ...lock, endsAt: endOf(form.hours) } }),
    done: selector === '' ? 'All writes are frozen' : 'These devices are frozen',
    refreshes: ['locks', 'device', 'devices'],
    after: onClose,
    quiet: true,
  });
  const isReady = form.where.trim() === selector && (selector === '' || preview.data !== undefined);
  return (
    <FormDialog
      title="Freeze writes"
      send="Freeze"
      danger
      busy={freeze.isPending}
      disabled={form.word !== WORD || !isReady}
      missing={[form.word !== WORD && `the word ${WORD}`]}
      onSend={() => freeze.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        {selector === ''
          ? 'Every write is refused, to all devices and to the gateway. Jobs wait, and rollouts pause. Jobs past their point of no return finish. Lifting the lock lets jobs go on; each rollout stays paused until a person resumes it.'
          : 'Calls to these devices are refused, reads too, and jobs on them wait. Devices that match the selector later are frozen, too.'}
      </p>
      {selector === '' && <RunningNow />}
      <SelectorChoice
        label="What is frozen"
        choices={WRITES}
        isRight
        value={form.where}
        wrong={selectorError(freeze.error, 'target')}
        onValue={(where) => setForm({ ...form, where })}
      />
      <TextField
        label="Reason"
        hint={`Shown to everyone whom the freeze stops; empty: ${DEFAULT_REASON}`}
        value={form.reason}
        onChange={change('reason')}
      />
      <SelectField label="How long" value={form.hours} options={LENGTHS} onChange={change('hours')} />
      <TextField label={`Type ${WORD} to confirm`} value={form.word} autoComplete="off" onChange={change('word')} />
      {freeze.error ? <Failure error={freeze.error} /> : null}
      <EquivalentLines
        command={`lock set ${selector === '' ? 'writes' : `selector ${shellWord(selector)}`} --reason ${shellWord(reason)}${endFlag(form.hours)}`}
        method="POST"
        path="/v1/locks"
        body={{ ...lock, endsAt: endOf(form.hours) }}
      />
    </FormDialog>
  );
}

/** What a freeze of all writes finds at work, as far as the person may see it. */
function RunningNow(): ReactNode {
  const jobs = useQuery({ ...runningJobsQuery, enabled: useMay('job.read') }).data?.items.length;
  const rollouts = useQuery({ ...runningRolloutsQuery, enabled: useMay('rollout.read') }).data?.items.length;
  if (jobs === undefined && rollouts === undefined) return null;
  const counts = [
    jobs !== undefined && countUpToText(jobs, RUNNING_SHOWN, 'job'),
    rollouts !== undefined && countUpToText(rollouts, RUNNING_SHOWN, 'rollout'),
  ];
  return <p>Running now: {counts.filter(Boolean).join(', ')}.</p>;
}

/** @param expectedDigest of the devices that the person saw */
const lockOf = (selector: string, reason: string, expectedDigest: string | undefined) =>
  selector === ''
    ? { kind: 'writes' as const, reason }
    : { kind: 'selector' as const, target: selector, reason, ...(expectedDigest && { expectedDigest }) };
