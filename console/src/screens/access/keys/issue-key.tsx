import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { setFlags, shellWord } from '../../../api/equivalents.js';
import { selectorError, unreadChoices } from '../../../api/problems.js';
import { operatorsQuery, selfQuery } from '../../../api/queries.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { SelectField, TextArea, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { useNow } from '../../../ui/time.js';
import { READ_PERMISSIONS } from '../permissions.js';
import { MadeKey } from './made-key.js';

const DAY_MS = 86_400_000;
const LENGTHS = [
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
  ['', 'never'],
] as const;

const RIGHTS = [
  ['see', 'See, without changing anything'],
  ['chosen', 'Only what I choose'],
  ['all', 'All that its person may do'],
] as const;

const words = (text: string) => text.split(/[\s,]/).filter(Boolean);

interface KeyForm {
  readonly name: string;
  readonly operatorId: string;
  readonly days: string;
  readonly rights: string;
  readonly permissions: string;
  readonly selector: string;
  readonly addresses: string;
}

const EMPTY: KeyForm = {
  name: '',
  operatorId: '',
  days: '90',
  rights: 'see',
  permissions: '',
  selector: '',
  addresses: '',
};

/** The patterns of a key; none: all rights of its person. */
function patternsOf({ rights, permissions }: KeyForm): readonly string[] {
  if (rights === 'see') return READ_PERMISSIONS;
  return rights === 'chosen' ? words(permissions) : [];
}

function bodyOf(form: KeyForm, now: number) {
  const { name, days, selector, addresses } = form;
  const patterns = patternsOf(form);
  const scope = {
    ...(patterns.length > 0 ? { permissions: [...patterns] } : {}),
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
  const isChosen = form.rights === 'chosen';
  const lacksRights = isChosen && words(form.permissions).length === 0;
  const others = people.filter(({ id, disabledAt }) => disabledAt === null && id !== self?.operatorId);
  return (
    <FormDialog
      title="Issue a key"
      send="Issue"
      busy={issue.isPending}
      disabled={!own.name || lacksRights}
      missing={[!own.name && 'a name', lacksRights && 'a permission']}
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
      <SelectField label="What it may do" options={RIGHTS} {...field('rights')} />
      {isChosen && (
        <TextArea
          label="Only these permissions"
          hint="Such as job.* or audit.*, with spaces between them"
          rows={2}
          {...field('permissions')}
        />
      )}
      <details className="equivalent">
        <summary>Narrow it to some devices or networks</summary>
        <div className="stack">
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
