import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { selectorError, unreadChoices } from '../../../api/problems.js';
import { setFlags, shellWord } from '../../../api/equivalents.js';
import { selfQuery } from '../../../api/queries.js';
import { operatorsQuery } from '../../../api/queries.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { Button } from '../../../ui/button.js';
import { Confirm } from '../../../ui/confirm.js';
import { Dialog, FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines, Line } from '../../../ui/equivalent-lines.js';
import { SelectField, TextArea, TextField } from '../../../ui/field.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { useNow } from '../../../ui/time.js';

const DAY_MS = 86_400_000;
const LENGTHS = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
] as const;

const OVERLAPS = [
  ['0', 'at once'],
  ['1', 'after 1 hour'],
  ['24', 'after a day'],
  ['168', 'after a week'],
] as const;

interface OfKey {
  apiKey: Schema<'ApiKey'>;
  /** The key of another person. */
  isOther: boolean;
  onClose: () => void;
}

/** A key is in one answer only: it stays on the screen until the person closes it. */
function MadeKey({ made, onClose }: { made: Schema<'IssuedApiKey'>; onClose: () => void }): ReactNode {
  return (
    <Dialog title={`The key ${made.name}`} onClose={onClose}>
      <div className="dialog-body">
        <Notice tone="warn">Copy it now: it is shown only here, and stored as a digest.</Notice>
        <Line text={made.key} />
        <div>
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const words = (text: string) => text.split(/[\s,]/).filter(Boolean);

interface KeyForm {
  readonly name: string;
  readonly operatorId: string;
  readonly days: string;
  readonly permissions: string;
  readonly selector: string;
  readonly addresses: string;
}

const EMPTY: KeyForm = { name: '', operatorId: '', days: '90', permissions: '', selector: '', addresses: '' };

function bodyOf({ name, days, permissions, selector, addresses }: KeyForm, now: number) {
  const patterns = words(permissions);
  const scope = {
    ...(patterns.length > 0 ? { permissions: patterns } : {}),
    ...(selector.trim() ? { selector: selector.trim() } : {}),
  };
  return {
    name: name.trim(),
    ...(days === '' ? {} : { expiresAt: new Date(now + Number(days) * DAY_MS).toISOString() }),
    ...(Object.keys(scope).length > 0 ? { scope } : {}),
    allowedAddresses: words(addresses),
  };
}

/** Issues a key for the person at the screen, or for another one. */
export function IssueKey({ forOthers, onClose }: { forOthers: boolean; onClose: () => void }): ReactNode {
  const [form, setForm] = useState(EMPTY);
  const [made, setMade] = useState<Schema<'IssuedApiKey'> | null>(null);
  const self = useQuery(selfQuery).data;
  const { data, error } = useQuery({ ...operatorsQuery, enabled: forOthers });
  const people = data?.items ?? [];
  const now = useNow();
  const own = bodyOf(form, now);
  const isOther = form.operatorId !== '';
  const body = isOther ? { ...own, operatorId: form.operatorId } : own;
  const issue = useAction({
    run: () => (isOther ? api.post('/v1/api-keys', { body }) : api.post('/v1/self/api-keys', { body: own })),
    done: 'The key is issued',
    refreshes: ['keys'],
    after: setMade,
    quiet: true,
  });
  if (made) return <MadeKey made={made} onClose={onClose} />;
  const field = (name: keyof KeyForm) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  const { name, ...flags } = body;
  const others = people.filter(({ id, disabledAt }) => disabledAt === null && id !== self?.operatorId);
  return (
    <FormDialog
      title="Issue a key"
      send="Issue"
      busy={issue.isPending}
      disabled={!own.name}
      missing={[!own.name && 'a name']}
      onSend={() => issue.mutate()}
      onClose={onClose}
    >
      <TextField label="Name" hint="What it is for" autoFocus {...field('name')} />
      {forOthers && (
        <SelectField
          label="Acts in the name of"
          wrong={unreadChoices(error)}
          options={[['', 'You'], ...others.map((one) => [one.id, one.name] as const)]}
          {...field('operatorId')}
        />
      )}
      <SelectField label="Ends" options={LENGTHS} {...field('days')} />
      <details className="equivalent">
        <summary>Narrow it below the rights of the person</summary>
        <div className="stack">
          <TextArea
            label="Only these permissions"
            hint="Such as job.* or audit.*, with spaces between them; empty: all"
            rows={2}
            {...field('permissions')}
          />
          <SelectorChoice
            label="Only these devices"
            emptyIsAll
            isRight
            value={form.selector}
            wrong={selectorError(issue.error)}
            onValue={(selector) => setForm({ ...form, selector })}
          />
          <TextField label="Only from these networks" hint="Such as 10.0.0.0/8; empty: any" {...field('addresses')} />
        </div>
      </details>
      {issue.error ? <Failure error={issue.error} /> : null}
      <EquivalentLines
        command={`key ${isOther ? 'issue' : 'issue-own'} ${shellWord(name || 'NAME')} ${setFlags(flags)}`}
        method="POST"
        path={isOther ? '/v1/api-keys' : '/v1/self/api-keys'}
        body={body}
      />
    </FormDialog>
  );
}

/** Issues a key in the place of another one, which works a little longer. */
export function RotateKey({ apiKey: { id, name }, isOther, onClose }: OfKey): ReactNode {
  const [hours, setHours] = useState('24');
  const [made, setMade] = useState<Schema<'IssuedApiKey'> | null>(null);
  const body = { overlapHours: Number(hours) };
  const params = { path: { keyId: id } };
  const rotate = useAction({
    run: () =>
      isOther
        ? api.post('/v1/api-keys/{keyId}/rotate', { params, body })
        : api.post('/v1/self/api-keys/{keyId}/rotate', { params, body }),
    done: 'The key is replaced',
    refreshes: ['keys'],
    after: setMade,
    quiet: true,
  });
  if (made) return <MadeKey made={made} onClose={onClose} />;
  return (
    <FormDialog
      title={`Replace the key ${name}`}
      send="Issue the new key"
      busy={rotate.isPending}
      onSend={() => rotate.mutate()}
      onClose={onClose}
    >
      <p className="quiet">The new key has the same name, rights and limits.</p>
      <SelectField
        label="The old key ends"
        value={hours}
        options={OVERLAPS}
        onChange={(event) => setHours(event.target.value)}
      />
      {rotate.error ? <Failure error={rotate.error} /> : null}
      <EquivalentLines
        command={`key ${isOther ? 'rotate' : 'rotate-own'} ${id} --overlap-hours ${hours}`}
        method="POST"
        path={`/v1/${isOther ? '' : 'self/'}api-keys/${id}/rotate`}
        body={body}
      />
    </FormDialog>
  );
}

export function RevokeKey({ apiKey: { id, name }, isOther, onClose }: OfKey): ReactNode {
  const params = { params: { path: { keyId: id } } };
  const revoke = useAction({
    run: () => (isOther ? api.delete('/v1/api-keys/{keyId}', params) : api.delete('/v1/self/api-keys/{keyId}', params)),
    done: 'The key is revoked',
    refreshes: ['keys'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Revoke the key ${name}`}
      send="Revoke key"
      typed={name}
      busy={revoke.isPending}
      equivalent={{
        command: `key ${isOther ? 'revoke' : 'revoke-own'} ${id} --yes`,
        method: 'DELETE',
        path: `/v1/${isOther ? '' : 'self/'}api-keys/${id}`,
      }}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs with this key are refused at once, by every process. A revoked key cannot be given back.
    </Confirm>
  );
}
