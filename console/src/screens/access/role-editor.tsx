import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { api, type Schema } from '../../api/client.js';
import { setFlags, shellWord } from '../../api/equivalents.js';
import { Button } from '../../ui/button.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Table } from '../../ui/list-table.js';
import { Failure } from '../../ui/messages.js';
import { rolesQuery } from './accounts.js';
import { grouped } from '../rollouts/reasons.js';
import styles from './access.module.css';
import { nounTitle, PERMISSION_NOUNS, permissionWords } from './permissions.js';
import { grantsText } from './role-grants.js';
import { RuleFields } from './rule-fields.js';
import { pathLines, wrongOf } from './rule-text.js';

type Role = Schema<'Role'>;
type Rule = Schema<'SaveRole'>['rules'][number];

interface RuleDraft {
  readonly key: number;
  readonly rule: Rule;
}

/** Shows a role, or changes an own one: rules of an effect, permissions and the devices for which it holds. */
export function RoleEditor({
  role,
  mayManage,
  startsEditing,
  onClose,
}: {
  role: Role | null;
  mayManage: boolean;
  /** Otherwise it shows the role first. */
  startsEditing: boolean;
  onClose: () => void;
}): ReactNode {
  const [isEdit, setEdit] = useState(startsEditing);
  if (role && (role.builtIn || !mayManage || !isEdit)) {
    return (
      <Dialog title={`Rules of ${role.name}`} size="wide" onClose={onClose}>
        <div className="dialog-body">
          <p className="foreign quiet">{role.description}</p>
          <p>{grantsText(role.rules as Rule[], ALL)}</p>
          <Rules rules={role.rules as Rule[]} />
          {mayManage && !role.builtIn && (
            <div>
              <Button onClick={() => setEdit(true)}>Edit</Button>
            </div>
          )}
          <EquivalentLines
            command={`role show ${role.name}`}
            method="GET"
            path={`/v1/roles/${encodeURIComponent(role.name)}`}
          />
        </div>
      </Dialog>
    );
  }
  return <EditRole role={role} onClose={onClose} />;
}

function Rules({ rules }: { rules: readonly Rule[] }): ReactNode {
  if (rules.length === 0) return <p className="quiet">It has no rules, so it allows nothing.</p>;
  return (
    <Table
      label="Rules"
      rows={rules.map((rule, at) => ({ ...rule, place: at + 1 }))}
      rowKey={({ place }) => `${place}`}
      columns={[
        { title: 'Rule', narrow: 'none', cell: ({ place }) => place, isNumber: true },
        {
          title: 'Effect',
          narrow: 'beside',
          cell: ({ effect }) => (effect === 'deny' ? <strong>Deny</strong> : 'Allow'),
        },
        {
          title: 'What',
          narrow: 'heading',
          cell: ({ permissions }) => <PermissionList of={permissions} />,
        },
        {
          title: 'Devices',
          cell: ({ selector }) => <code className="foreign">{selector ?? 'all'}</code>,
          brief: ({ selector }) => `devices: ${selector ?? 'all'}`,
        },
        {
          title: 'Paths',
          brief: ({ devices }) => devices && `paths: ${pathLines(devices)}`,
          cell: ({ devices }) => <code className="foreign">{devices ? pathLines(devices) : 'all'}</code>,
        },
      ]}
    />
  );
}

/** What a rule is about, a line for each noun. */
function PermissionList({ of: permissions }: { of: readonly string[] }): ReactNode {
  const lines = grouped(permissions, (name) => name.split('.')[0]!);
  if (lines.length === 1) return <span className="foreign">{permissions.map(permissionWords).join(', ')}</span>;
  return (
    <ul className={styles['permissionLines']}>
      {lines.map(([noun, names]) => (
        <li key={noun} title={names.join(', ')}>
          <strong>{nounTitle(noun)}</strong>: {names.map(permissionWords).join(', ')}
        </li>
      ))}
    </ul>
  );
}

let lastKey = 0;
const draftOf = (rule: Rule): RuleDraft => ({ key: ++lastKey, rule });
const FIRST: Rule = { effect: 'allow', permissions: ['device.read'], selector: null, devices: null };

/** Fills in the rules of another role, to be changed. */
function StartFrom({ onChoose }: { onChoose: (rules: readonly Rule[]) => void }): ReactNode {
  const { data } = useQuery(rolesQuery);
  const [chosen, setChosen] = useState('');
  const roles = data?.items ?? [];
  return (
    <SelectField
      label="Start from"
      value={chosen}
      options={[['', 'one rule: see devices'], ...roles.map(({ name }) => [name, `the rules of ${name}`] as const)]}
      onChange={({ target: { value } }) => {
        setChosen(value);
        onChoose((roles.find(({ name }) => name === value)?.rules as Rule[] | undefined) ?? [FIRST]);
      }}
    />
  );
}

/** Every permission that there is. */
const ALL: readonly string[] = PERMISSION_NOUNS.flatMap(([, permissions]) => permissions.map(([name]) => name));

const LABELS = { description: 'Description', rules: 'Rules' };

function EditRole({ role, onClose }: { role: Role | null; onClose: () => void }): ReactNode {
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [drafts, setDrafts] = useState(() => ((role?.rules ?? [FIRST]) as Rule[]).map(draftOf));
  const body = { description, rules: drafts.map(({ rule }) => rule) };
  const path = { name };
  const isSame =
    role !== null && JSON.stringify(body) === JSON.stringify({ description: role.description, rules: role.rules });
  const send = useUnchanged(role, LABELS, () => api.answer('get', '/v1/roles/{name}', { params: { path } }));
  const save = useAction({
    run: () =>
      role
        ? send((header) => api.put('/v1/roles/{name}', { params: { path, header }, body }))
        : api.put('/v1/roles/{name}', { params: { path }, body }),
    done: `The role ${name} is saved`,
    refreshes: ['roles', 'self'],
    after: onClose,
    quiet: true,
  });
  const change = (key: number, rule: Rule) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { key, rule } : draft)));
  return (
    <FormDialog
      title={role ? `Edit the role ${role.name}` : 'Make a role'}
      size="wide"
      send="Save role"
      busy={save.isPending}
      disabled={!name.trim() || isSame || body.rules.some(({ permissions }) => permissions.length === 0)}
      missing={[
        !name.trim() && 'a name',
        body.rules.some(({ permissions }) => permissions.length === 0) && 'a permission in each rule',
      ]}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      {!role && <StartFrom onChoose={(rules) => setDrafts(rules.map(draftOf))} />}
      {!role && (
        <TextField
          label="Name"
          hint="A word of lower-case letters, digits, - and _"
          value={name}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
      {drafts.map(({ key, rule }, at) => (
        <RuleFields
          key={key}
          place={at + 1}
          rule={rule}
          wrong={wrongOf(
            save.error,
            drafts.map((draft) => draft.rule),
            at,
          )}
          onChange={(changed) => change(key, changed)}
          onRemove={() => setDrafts(drafts.filter((draft) => draft.key !== key))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => setDrafts([...drafts, draftOf(FIRST)])}>
          Add a rule
        </Button>
      </div>
      <p role="status">{grantsText(body.rules, ALL)}</p>
      {save.error ? <Failure error={save.error} /> : null}
      <EquivalentLines
        command={`role save ${shellWord(name || 'NAME')} ${setFlags(body)}`}
        method="PUT"
        path={`/v1/roles/${encodeURIComponent(name)}`}
        body={body}
      />
    </FormDialog>
  );
}
