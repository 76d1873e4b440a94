import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { selectorError, unreadChoices } from '../../api/problems.js';
import { shellWord } from '../../api/equivalents.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { refOf } from '../../ui/devices/device-ref.js';
import { DeviceField } from '../../ui/devices/device-field.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { keysQuery } from './accounts.js';
import { endFlag, endOf, LENGTHS } from './lock-length.js';

type Kind = Exclude<Schema<'Lock'>['kind'], 'writes'>;

const KINDS: readonly (readonly [Kind, string])[] = [
  ['device', 'One device: all calls to it'],
  ['selector', 'Devices of a selector: all calls to them'],
  ['operator', 'A person: everything'],
  ['key', 'An API key: everything'],
];

interface SetLockProps {
  /** The person whom the dialog opens with, by id; absent: the kind is chosen first. */
  person?: string;
  onClose: () => void;
}

/** Locks a device, devices, a person or a key. */
export function SetLock({ person, onClose }: SetLockProps): ReactNode {
  const [kind, setKind] = useState<Kind>(person === undefined ? 'device' : 'operator');
  const [target, setTarget] = useState(person ?? '');
  const [reason, setReason] = useState('');
  const [hours, setHours] = useState('8');
  const given = kind === 'device' ? (refOf(target.trim()) ?? '') : target.trim();
  const request = { kind, target: given, reason: reason.trim() };
  const lock = useAction({
    run: () => api.post('/v1/locks', { body: { ...request, endsAt: endOf(hours) } }),
    done: 'The lock is set',
    refreshes: ['locks', 'devices', 'device'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title="Set a lock"
      send="Lock"
      danger
      busy={lock.isPending}
      disabled={given === '' || request.reason === ''}
      missing={[given === '' && 'what is locked', request.reason === '' && 'a reason']}
      onSend={() => lock.mutate()}
      onClose={onClose}
    >
      <SelectField
        label="What is locked"
        value={kind}
        options={KINDS}
        onChange={(event) => {
          setKind(event.target.value as Kind);
          setTarget('');
        }}
      />
      <Target kind={kind} target={target} wrong={selectorError(lock.error, 'target')} onChange={setTarget} />
      <TextField
        label="Reason"
        hint="Shown to everyone whom the lock stops"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <SelectField
        label="How long"
        value={hours}
        options={LENGTHS}
        onChange={(event) => setHours(event.target.value)}
      />
      {lock.error ? <Failure error={lock.error} /> : null}
      <EquivalentLines
        command={`lock set ${kind} ${shellWord(given || 'TARGET')} --reason ${shellWord(request.reason || 'REASON')}${endFlag(hours)}`}
        method="POST"
        path="/v1/locks"
        body={{ ...request, endsAt: endOf(hours) }}
      />
    </FormDialog>
  );
}

interface TargetProps {
  kind: Kind;
  target: string;
  wrong: string | null;
  onChange: (target: string) => void;
}

function Target({ kind, target, wrong, onChange }: TargetProps): ReactNode {
  const field = { value: target, onChange: (event: { target: { value: string } }) => onChange(event.target.value) };
  if (kind === 'selector')
    return (
      <SelectorChoice
        hint="Such as tag:pump. Devices that match it later are locked, too"
        isRight
        value={target}
        wrong={wrong}
        onValue={onChange}
      />
    );
  if (kind === 'operator') return <PersonTarget {...field} />;
  if (kind === 'key') return <KeyTarget {...field} />;
  return <DeviceField value={target} wrong={wrong} onValue={onChange} />;
}

interface Field {
  value: string;
  onChange: (event: { target: { value: string } }) => void;
}

function PersonTarget(field: Field): ReactNode {
  const may = useMay('operator.read');
  const { data, error } = useQuery({ ...operatorsQuery, enabled: may });
  const people = data?.items ?? [];
  if (!may) return <TextField label="Person" hint="The id of the person" spellCheck={false} {...field} />;
  return (
    <SelectField
      label="Person"
      wrong={unreadChoices(error)}
      options={[['', 'Choose a person'], ...people.map(({ id, name }) => [id, name] as const)]}
      {...field}
    />
  );
}

function KeyTarget(field: Field): ReactNode {
  const may = useMay('key.manage');
  const { data, error } = useQuery({ ...keysQuery(true), enabled: may });
  if (!may) return <TextField label="API key" hint="The id of the key" spellCheck={false} {...field} />;
  const valid = data?.items.filter(({ revokedAt }) => revokedAt === null) ?? [];
  return (
    <SelectField
      label="API key"
      wrong={unreadChoices(error)}
      options={[['', 'Choose a key'], ...valid.map(({ id, name, prefix }) => [id, `${name} (${prefix}…)`] as const)]}
      {...field}
    />
  );
}
