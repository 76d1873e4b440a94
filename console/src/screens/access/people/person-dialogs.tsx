import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../../api/action.js';
import { useUnchanged } from '../../../api/use-unchanged.js';
import { api, type Schema } from '../../../api/client.js';
import { unreadChoices } from '../../../api/problems.js';
import { setFlags } from '../../../api/equivalents.js';
import { Button, IconButton } from '../../../ui/button.js';
import { Confirm } from '../../../ui/confirm.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { A_CHANGE } from '../../../ui/leaving/missing-text.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { SelectField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { rolesQuery } from '../accounts.js';
import { wrongOf } from '../rule-text.js';
import styles from '../access.module.css';

interface OfOperator {
  operator: Schema<'Operator'>;
  onClose: () => void;
}

interface Given {
  readonly role: string;
  /** Empty: for all devices. */
  readonly selector: string;
}

const givenOf = (roles: Schema<'Operator'>['roles']): readonly Given[] =>
  roles.map(({ role, selector }) => ({ role, selector: selector ?? '' }));

export function AssignRoles({ operator, onClose }: OfOperator): ReactNode {
  const { id, name, roles } = operator;
  const [given, setGiven] = useState(() => givenOf(roles));
  const body = { roles: given.map(({ role, selector }) => ({ role, selector: selector.trim() || null })) };
  const path = { operatorId: id };
  const send = useUnchanged(operator, { roles: 'Roles' }, () =>
    api.answer('get', '/v1/operators/{operatorId}/roles', { params: { path } }),
  );
  const assign = useAction({
    run: () => send((header) => api.put('/v1/operators/{operatorId}/roles', { params: { path, header }, body })),
    done: 'The roles are saved',
    refreshes: ['operators', 'self'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Roles of ${name}`}
      send="Save roles"
      busy={assign.isPending}
      disabled={JSON.stringify(given) === JSON.stringify(givenOf(roles))}
      missing={[JSON.stringify(given) === JSON.stringify(givenOf(roles)) && A_CHANGE]}
      onSend={() => assign.mutate()}
      onClose={onClose}
    >
      <GivenRoles given={given} error={assign.error} onChange={setGiven} />
      {assign.error ? <Failure error={assign.error} /> : null}
      <EquivalentLines
        command={`operator assign ${id} ${setFlags(body)}`}
        method="PUT"
        path={`/v1/operators/${id}/roles`}
        body={body}
      />
    </FormDialog>
  );
}

interface GivenRolesProps {
  given: readonly Given[];
  /** Why they were not saved. */
  error: unknown;
  onChange: (given: readonly Given[]) => void;
}

/** Each role with the devices that it is for. */
function GivenRoles({ given, error: refusal, onChange }: GivenRolesProps): ReactNode {
  const { data, error } = useQuery(rolesQuery);
  const names = [...new Set([...(data?.items ?? []).map(({ name }) => name), ...given.map(({ role }) => role)])];
  const change = (at: number, changed: Partial<Given>) =>
    onChange(given.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <>
      {given.map(({ role, selector }, at) => (
        <div key={at} role="group" aria-label={`Role ${at + 1}`} className={styles['given']}>
          <SelectField
            label="Role"
            wrong={unreadChoices(error)}
            value={role}
            autoFocus={at === 0}
            options={names.map((name) => [name, name])}
            onChange={(event) => change(at, { role: event.target.value })}
          />
          <IconButton
            icon="close"
            label={`Take away the role ${role}`}
            onClick={() => onChange(given.filter((_, index) => index !== at))}
          />
          <SelectorChoice
            label="For which devices"
            emptyIsAll
            isRight
            value={selector}
            wrong={wrongOf(refusal, given, at)}
            onValue={(chosen) => change(at, { selector: chosen })}
          />
        </div>
      ))}
      {given.length === 0 && <p className="quiet">No role: the person may do nothing.</p>}
      <div>
        <Button icon="plus" onClick={() => onChange([...given, { role: 'viewer', selector: '' }])}>
          Add a role
        </Button>
      </div>
    </>
  );
}

export function Disable({ operator: { id, name, disabledAt }, onClose }: OfOperator): ReactNode {
  const body = { disabled: disabledAt === null };
  const change = useAction({
    run: () => api.patch('/v1/operators/{operatorId}', { params: { path: { operatorId: id } }, body }),
    done: body.disabled ? `${name} is disabled` : `${name} is enabled`,
    refreshes: ['operators'],
    after: onClose,
  });
  return (
    <Confirm
      title={body.disabled ? `Disable ${name}` : `Enable ${name}`}
      send={body.disabled ? 'Disable' : 'Enable'}
      {...(body.disabled ? { typed: name } : {})}
      busy={change.isPending}
      equivalent={{
        command: `operator edit ${id} --disabled ${body.disabled}`,
        method: 'PATCH',
        path: `/v1/operators/${id}`,
        body,
      }}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {body.disabled
        ? 'Sessions and keys of the person stop working at once. Enable the account to give them back.'
        : 'The person can sign in, and the keys work again.'}
    </Confirm>
  );
}

export function RemoveSecondFactor({ operator: { id, name }, onClose }: OfOperator): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/operators/{operatorId}/totp', { params: { path: { operatorId: id } } }),
    done: 'The second factor is removed',
    refreshes: ['operators'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Reset the second factor of ${name}`}
      send="Remove second factor"
      typed={name}
      busy={remove.isPending}
      equivalent={{
        command: `operator reset-second-factor ${id}`,
        method: 'DELETE',
        path: `/v1/operators/${id}/totp`,
      }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      For a person who has lost the authenticator and the recovery codes. The password alone is enough until another one
      is set up.
    </Confirm>
  );
}
