import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { setFlags, shellWord } from '../../api/equivalents.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../ui/field.js';
import { A_CHANGE, missingText } from '../../ui/leaving/missing-text.js';
import { useUnsaved } from '../../ui/leaving/unsaved.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { useGo } from '../../ui/to.js';
import { rolesQuery } from './accounts.js';
import css from './access.module.css';
import { ALL_PERMISSIONS } from './permissions.js';
import { grantsText } from './role-grants.js';
import { RoleHolders } from './role-holders.js';
import { RuleFields } from './rule-fields.js';
import { wrongOf } from './rule-text.js';

type Role = Schema<'Role'>;
type Rule = Schema<'SaveRole'>['rules'][number];

interface RuleDraft {
  readonly key: number;
  readonly rule: Rule;
  /** Its permissions are said, and open to boxes. */
  readonly isFolded: boolean;
}

let lastKey = 0;
const draftOf = (rule: Rule, isFolded = false): RuleDraft => ({ key: ++lastKey, rule, isFolded });
/** Several rules are read before one of them is changed. */
const draftsOf = (rules: readonly Rule[]): RuleDraft[] => rules.map((rule) => draftOf(rule, rules.length > 1));
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

const LABELS = { description: 'Description', rules: 'Rules' };

/** Makes a role or changes an own one, rule by rule; what it allows then stands beside its button. @param role null: a new one */
export function EditRole({ role }: { role: Role | null }): ReactNode {
  const go = useGo();
  const close = () => go('/access', { tab: 'roles' });
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [drafts, setDrafts] = useState(() => draftsOf((role?.rules ?? [FIRST]) as Rule[]));
  const rules = drafts.map(({ rule }) => rule);
  const body = { description, rules };
  const isSame =
    JSON.stringify(body) === JSON.stringify({ description: role?.description ?? '', rules: role?.rules ?? [FIRST] });
  useUnsaved(!isSame || (role === null && name !== ''));
  const save = useSave(role, name, body, close);
  const isUnchanged = role !== null && isSame;
  const isEmpty = rules.some(({ permissions }) => permissions.length === 0);
  const change = (key: number, rule: Rule) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { ...draft, rule } : draft)));
  return (
    <div className="stack">
      <Card title={role ? `Edit the role ${role.name}` : 'Make a role'}>
        <div className="stack">
          {!role && <StartFrom onChoose={(chosen) => setDrafts(draftsOf(chosen))} />}
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
        </div>
      </Card>
      {drafts.map(({ key, rule, isFolded }, at) => (
        <RuleFields
          key={key}
          place={at + 1}
          rule={rule}
          isFolded={isFolded}
          wrong={wrongOf(save.error, rules, at)}
          onChange={(changed) => change(key, changed)}
          onRemove={() => setDrafts(drafts.filter((draft) => draft.key !== key))}
        />
      ))}
      <div>
        <Button icon="plus" onClick={() => setDrafts([...drafts, draftOf(FIRST)])}>
          Add a rule
        </Button>
      </div>
      {save.error ? <Failure error={save.error} /> : null}
      <div data-foot className={css.foot}>
        <p role="status">{grantsText(rules, ALL_PERMISSIONS)}</p>
        {role && <RoleHolders role={role.name} />}
        <div className="row">
          <Button
            kind="primary"
            busy={save.isPending}
            disabled={!name.trim() || isUnchanged || isEmpty}
            onClick={() => save.mutate()}
          >
            Save role
          </Button>
          <Button onClick={close}>Cancel</Button>
          <span className="small quiet">
            {missingText([!name.trim() && 'a name', isEmpty && 'a permission in each rule', isUnchanged && A_CHANGE])}
          </span>
        </div>
      </div>
      <EquivalentLines
        command={`role save ${shellWord(name || 'NAME')} ${setFlags(body)}`}
        method="PUT"
        path={`/v1/roles/${encodeURIComponent(name)}`}
        body={body}
      />
    </div>
  );
}

function useSave(role: Role | null, name: string, body: Schema<'SaveRole'>, after: () => void) {
  const path = { name };
  const send = useUnchanged(role, LABELS, () => api.answer('get', '/v1/roles/{name}', { params: { path } }));
  return useAction({
    run: () =>
      role
        ? send((header) => api.put('/v1/roles/{name}', { params: { path, header }, body }))
        : api.put('/v1/roles/{name}', { params: { path }, body }),
    done: `The role ${name} is saved`,
    refreshes: ['roles', 'self'],
    after,
    quiet: true,
  });
}
