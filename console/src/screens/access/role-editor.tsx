import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { selfQuery } from '../../api/queries.js';
import { Button, IconButton } from '../../ui/button.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent.js';
import { SelectField, TextArea, TextField } from '../../ui/field.js';
import { JsonBlock } from '../../ui/json.js';
import { Failure } from '../../ui/messages.js';

type Role = Schema<'Role'>;
type Rule = Schema<'SaveRole'>['rules'][number];

interface RuleDraft {
  readonly key: number;
  readonly rule: Rule;
}

const EFFECTS = [
  ['allow', 'Allow'],
  ['deny', 'Deny'],
] as const;

/** Shows a role, or changes an own one: rules of an effect, permissions and the devices for which it holds. */
export function RoleEditor({
  role,
  mayManage,
  onClose,
}: {
  role: Role | null;
  mayManage: boolean;
  onClose: () => void;
}): ReactNode {
  if (role && (role.builtIn || !mayManage)) {
    return (
      <Dialog title={`Rules of ${role.name}`} size="wide" onClose={onClose}>
        <div className="dialog-body">
          <p className="foreign quiet">{role.description}</p>
          <JsonBlock label="Rules" value={role.rules} />
        </div>
      </Dialog>
    );
  }
  return <EditRole role={role} onClose={onClose} />;
}

let lastKey = 0;
const draftOf = (rule: Rule): RuleDraft => ({ key: ++lastKey, rule });
const FIRST: Rule = { effect: 'allow', permissions: ['device.read'], selector: null, devices: null };

function EditRole({ role, onClose }: { role: Role | null; onClose: () => void }): ReactNode {
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [drafts, setDrafts] = useState(() => ((role?.rules ?? [FIRST]) as Rule[]).map(draftOf));
  const body = { description, rules: drafts.map(({ rule }) => rule) };
  const save = useAction({
    run: () => api.put('/v1/roles/{name}', { params: { path: { name } }, body }),
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
      disabled={!name.trim()}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      {!role && <TextField label="Name" value={name} autoFocus onChange={(event) => setName(event.target.value)} />}
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
      {drafts.map(({ key, rule }, at) => (
        <RuleFields
          key={key}
          place={at + 1}
          rule={rule}
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
      <EquivalentLines method="PUT" path={`/v1/roles/${encodeURIComponent(name)}`} body={body} />
    </FormDialog>
  );
}

function RuleFields({
  place,
  rule,
  onChange,
  onRemove,
}: {
  place: number;
  rule: Rule;
  onChange: (rule: Rule) => void;
  onRemove: () => void;
}): ReactNode {
  const known = useQuery(selfQuery).data?.permissions ?? [];
  const [text, setText] = useState(rule.permissions.join('\n'));
  const words = text.split(/[\s,]/).filter(Boolean);
  const strange = words.filter((word) => !word.includes('*') && known.length > 0 && !known.includes(word));
  return (
    <fieldset className="card">
      <legend className="row">
        Rule {place}
        <IconButton icon="close" label={`Remove rule ${place}`} onClick={onRemove} />
      </legend>
      <SelectField
        label="Effect"
        hint="A rule that denies has priority over all that allow"
        value={rule.effect}
        options={EFFECTS}
        onChange={(event) => onChange({ ...rule, effect: event.target.value as Rule['effect'] })}
      />
      <TextArea
        label="Permissions, one in each line"
        hint={strange.length > 0 ? `You do not hold: ${strange.join(', ')}` : 'docs/reference/rights.md lists them'}
        rows={4}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange({ ...rule, permissions: event.target.value.split(/[\s,]/).filter(Boolean) });
        }}
      />
      <TextField
        label="For which devices"
        hint="A selector, such as site:vilnius/*; empty: all"
        value={rule.selector ?? ''}
        onChange={(event) => onChange({ ...rule, selector: event.target.value || null })}
      />
    </fieldset>
  );
}
