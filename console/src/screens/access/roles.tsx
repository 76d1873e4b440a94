import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { numberText } from '../../api/amount-text.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Failure } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { countText } from '../../api/amount-text.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { rolesQuery, useWorkingKeys } from './accounts.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { RoleMatrix } from './role-matrix.js';
import { EditRole } from './edit-role.js';
import { ShownRole } from './shown-role.js';
import { AwaitedTable } from '../../ui/rows/awaited.js';

type Role = Schema<'Role'>;

/** The roles that exist, with their rules. */
export function Roles(): ReactNode {
  const { data, error, refetch } = useQuery(rolesQuery);
  const [{ make, edit }] = useSearchText();
  const go = useGo();
  const [shown, setShown] = useState<Role | null>(null);
  const change = ({ name }: Role) => go('/access', { tab: 'roles', edit: name });
  const [removed, setRemoved] = useState<Role | null>(null);
  const mayManage = useMay('role.manage');
  const holders = useHolders();
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedTable titles={['Role', 'Description', 'Rules', 'Origin', 'People', 'Keys']} />;
  const edited = data.items.find(({ name, builtIn }) => name === edit && !builtIn);
  if (mayManage && (make !== undefined || edited)) return <EditRole key={edit ?? ''} role={edited ?? null} />;
  return (
    <div className="stack">
      <TabHead text="A role is a list of rules: what its people may do, and on which devices.">
        {mayManage && (
          <Button kind="primary" icon="plus" onClick={() => go('/access', { tab: 'roles', make: 'yes' })}>
            Make a role
          </Button>
        )}
      </TabHead>
      <Table
        label="Roles"
        rows={data.items}
        rowKey={({ name }) => name}
        columns={[
          {
            title: 'Role',
            cell: (role) => (
              <Button kind="link" onClick={() => setShown(role)}>
                <span className="foreign">{role.name}</span>
              </Button>
            ),
          },
          {
            title: 'Description',
            narrow: 'line',
            cell: ({ description }) => <span className="foreign quiet">{description || '–'}</span>,
          },
          {
            title: 'Rules',
            cell: ({ rules }) => rules.length,
            brief: ({ rules }) => countText(rules.length, 'rule'),
            isNumber: true,
          },
          ...holders,
          { title: 'Origin', narrow: 'beside', cell: ({ builtIn }) => (builtIn ? 'built in' : 'your own') },
          {
            title: '',
            cell: (role) => (
              <RowActions
                of={role.name}
                actions={[
                  mayManage && !role.builtIn
                    ? { text: 'Edit', onSelect: () => change(role) }
                    : { text: 'Show', onSelect: () => setShown(role) },
                  mayManage && !role.builtIn && { text: 'Remove', isDanger: true, onSelect: () => setRemoved(role) },
                ]}
              />
            ),
          },
        ]}
      />
      <RoleMatrix roles={data.items} />
      {shown && (
        <ShownRole role={shown} mayManage={mayManage} onEdit={() => change(shown)} onClose={() => setShown(null)} />
      )}
      {removed && <RemoveRole role={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

/** Who has each role: people who are not disabled, and the keys that act in their names. Of a reader who may see them. */
function useHolders(): readonly Column<Role>[] {
  const may = useMay('operator.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: may });
  const keys = useWorkingKeys();
  const of = (role: string) =>
    (data?.items ?? []).filter(({ disabledAt, roles }) => !disabledAt && roles.some((one) => one.role === role));
  const people: Column<Role> = {
    title: 'People',
    isNumber: true,
    cell: ({ name }) => {
      const names = of(name).map((person) => person.name);
      if (names.length === 0) return <span className="quiet">none</span>;
      return (
        <To to="/access" search={{ tab: 'people' }} title={names.join(', ')}>
          {numberText(names.length)}
        </To>
      );
    },
  };
  const working: Column<Role> = {
    title: 'Keys',
    isNumber: true,
    cell: ({ name }) => {
      const count = of(name).reduce((sum, { id }) => sum + (keys?.get(id) ?? 0), 0);
      if (count === 0) return <span className="quiet">none</span>;
      return (
        <To to="/access" search={{ tab: 'keys' }} title="Keys that work, of these people">
          {numberText(count)}
        </To>
      );
    },
  };
  return [...(data ? [people] : []), ...(data && keys ? [working] : [])];
}

function RemoveRole({ role: { name }, onClose }: { role: Role; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/roles/{name}', { params: { path: { name } } }),
    done: `The role ${name} is removed`,
    refreshes: ['roles'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Remove the role ${name}`}
      send="Remove role"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `role remove ${name}`, method: 'DELETE', path: `/v1/roles/${encodeURIComponent(name)}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      The gateway refuses this while a person has the role.
    </Confirm>
  );
}
