import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { unreadChoices } from '../../../api/problems.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { CheckField, SelectField, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { rolesQuery } from '../accounts.js';

interface AddPersonProps {
  /** Shows the link with which the person who was added signs in. @param made null: it could not be made */
  onInvite: (operator: Schema<'Operator'>, made: Schema<'Invitation'> | null) => void;
  onClose: () => void;
}

export function AddPerson({ onInvite, onClose }: AddPersonProps): ReactNode {
  const [form, setForm] = useState({ name: '', role: 'viewer' });
  const [isInvited, setInvited] = useState(true);
  const { data, error } = useQuery(rolesQuery);
  const roles = data?.items.map(({ name }) => [name, name] as const) ?? [];
  const role = data?.items.find(({ name }) => name === form.role);
  const add = useAction({
    run: () => addPerson(form, isInvited),
    done: `${form.name} is added`,
    refreshes: ['operators'],
    after: ({ operator, made }) => (isInvited ? onInvite(operator, made) : onClose()),
    quiet: true,
  });
  return (
    <FormDialog
      title="Add a person"
      send="Add"
      busy={add.isPending}
      disabled={!form.name.trim()}
      missing={[!form.name.trim() && 'a name']}
      onSend={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={form.name}
        autoFocus
        onChange={(event) => setForm({ ...form, name: event.target.value })}
      />
      <SelectField
        label="Role"
        wrong={unreadChoices(error)}
        hint={`${role?.description ? `${role.description}. ` : ''}More roles, and roles for some devices, can be given afterwards`}
        value={form.role}
        options={roles.length > 0 ? roles : [['viewer', 'viewer']]}
        onChange={(event) => setForm({ ...form, role: event.target.value })}
      />
      <CheckField
        label="Make a link with which the person signs in"
        checked={isInvited}
        onChange={(event) => setInvited(event.target.checked)}
      />
      {add.error ? <Failure error={add.error} /> : null}
      <EquivalentLines
        command={`operator add ${shellWord(form.name || 'NAME')} --role ${shellWord(form.role)}`}
        method="POST"
        path="/v1/operators"
        body={form}
      />
    </FormDialog>
  );
}

/** @returns the person, and the link; null: it is not wanted, or was refused, and can be made from their row */
async function addPerson(body: Schema<'CreateOperator'>, isInvited: boolean) {
  const operator = await api.post('/v1/operators', { body });
  if (!isInvited) return { operator, made: null };
  const params = { path: { operatorId: operator.id } };
  const made = await api.post('/v1/operators/{operatorId}/invitation', { params }).catch(() => null);
  return { operator, made };
}
