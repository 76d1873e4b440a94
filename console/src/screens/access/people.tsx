import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Icon } from '../../ui/icons.js';
import { Table } from '../../ui/list-table.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { DocLink } from '../../ui/to.js';
import { useWorkingKeys } from './accounts.js';
import { needsSecondFactor } from './second-factor-need.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { AddPerson } from './inviting/add-person.js';
import { Invite } from './inviting/invite.js';
import { AssignRoles, Disable, RemoveSecondFactor } from './person-dialogs.js';
import { AwaitedTable } from '../../ui/rows/awaited.js';

type Operator = Schema<'Operator'>;
type PersonDialog =
  readonly [dialog: 'invite' | 'roles' | 'disable' | 'factor', operator: Operator] | readonly ['add', null];

/** People and programs that have an account. */
export function People(): ReactNode {
  const [open, setOpen] = useState<PersonDialog | null>(null);
  const mayManage = useMay('operator.manage');
  const mayAssign = useMay('role.manage');
  const query = useQuery(operatorsQuery);
  const providers = useQuery({
    queryKey: KEYS.oidc.all,
    queryFn: ({ signal }) => api.get('/v1/oidc', { signal }),
  });
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <AwaitedTable titles={['Name', 'Roles', 'State', 'Second factor', 'Added']} />;
  return (
    <div className="stack">
      <TabHead text="People, and programs that act under a name of their own.">
        {mayManage && (
          <Button kind="primary" icon="plus" onClick={() => setOpen(['add', null])}>
            Add a person
          </Button>
        )}
      </TabHead>
      <PeopleTable rows={query.data.items} mayManage={mayManage} mayAssign={mayAssign} onOpen={setOpen} />
      <Card title="Sign-in by OpenID Connect">
        {providers.error ? (
          <Failure error={providers.error} onRetry={() => void providers.refetch()} />
        ) : (
          <Providers items={providers.data?.items} people={query.data.items} />
        )}
      </Card>
      {open && <OpenDialog of={open} onOpen={setOpen} />}
    </div>
  );
}

interface ProvidersProps {
  items: readonly { readonly id: string; readonly name: string }[] | undefined;
  people: readonly Operator[];
}

/** The providers, each with the people who are linked to it. */
function Providers({ items, people }: ProvidersProps): ReactNode {
  if (!items?.length) {
    return (
      <p className="quiet">
        No provider is set up. The setting <code>OIDC_PROVIDERS</code> adds one.{' '}
        <DocLink of="reference/operators">How it is set up</DocLink>
      </p>
    );
  }
  const linkedTo = (id: string) => people.filter(({ providers }) => providers.includes(id)).map(({ name }) => name);
  return <Facts of={items.map(({ id, name }) => [name, linkedTo(id).join(', ') || 'no person is linked yet'])} />;
}

function PeopleTable({
  rows,
  mayManage,
  mayAssign,
  onOpen,
}: {
  rows: readonly Operator[];
  mayManage: boolean;
  mayAssign: boolean;
  onOpen: (open: PersonDialog) => void;
}): ReactNode {
  const keys = useWorkingKeys();
  const keysOf = ({ id }: Operator) => keys && (keys.get(id) ?? 0);
  const locks = useList('/v1/locks', { key: KEYS.locks.inForce, enabled: useMay('lock.read') }).rows;
  const lockOf = ({ id }: Operator) => locks.find(({ kind, target }) => kind === 'operator' && target === id);
  return (
    <Table
      label="People"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Name',
          cell: ({ name }) => <span className="foreign cut">{name}</span>,
          brief: (operator) =>
            mayAssign ? (
              <Button kind="link" onClick={() => onOpen(['roles', operator])}>
                <span className="foreign">{operator.name}</span>
              </Button>
            ) : (
              <span className="foreign">{operator.name}</span>
            ),
          narrow: 'heading',
        },
        { title: 'Roles', narrow: 'line', cell: ({ roles }) => <RolesOf roles={roles} /> },
        {
          title: 'State',
          cell: (operator) => (
            <>
              <Locked lock={lockOf(operator)} />
              <PersonState of={operator} keys={keysOf(operator)} />
            </>
          ),
        },
        {
          title: 'Second factor',
          cell: (operator) => <Factor of={operator} />,
          brief: (operator) =>
            operator.hasSecondFactor
              ? 'with a second factor'
              : needsSecondFactor(operator) && <Mark tone="warn">no second factor</Mark>,
        },
        { title: 'Added', cell: ({ createdAt }) => <Ago at={createdAt} /> },
        {
          title: '',
          cell: (operator) => (
            <PersonActions
              operator={operator}
              keys={keysOf(operator)}
              mayManage={mayManage}
              mayAssign={mayAssign}
              onOpen={onOpen}
            />
          ),
        },
      ]}
    />
  );
}

const LINK = 'A link with which they choose a password';

interface PersonActionsProps {
  operator: Operator;
  keys: number | null;
  mayManage: boolean;
  mayAssign: boolean;
  onOpen: (open: PersonDialog) => void;
}

function PersonActions({ operator, keys, mayManage, mayAssign, onOpen }: PersonActionsProps): ReactNode {
  const { name, hasPassword, hasSecondFactor, disabledAt } = operator;
  const [roles, invite] = [() => onOpen(['roles', operator]), () => onOpen(['invite', operator])];
  // The one that is wanted next is a button: a person without a password waits for their link.
  const isNext = mayManage && isWaiting(operator, keys);
  return (
    <RowActions
      of={name}
      actions={[
        isNext && { text: 'Invite', label: 'Invite', title: LINK, onSelect: invite },
        mayAssign && { text: 'Roles', ...(isNext ? {} : { label: 'Roles' }), onSelect: roles },
        mayManage && !isNext && { text: hasPassword ? 'New password' : 'Invite', title: LINK, onSelect: invite },
        mayManage && hasSecondFactor && { text: 'Reset second factor', onSelect: () => onOpen(['factor', operator]) },
        mayManage && {
          text: disabledAt ? 'Enable' : 'Disable',
          isDanger: disabledAt === null,
          onSelect: () => onOpen(['disable', operator]),
        },
      ]}
    />
  );
}

function Factor({ of }: { of: Operator }): ReactNode {
  if (of.hasSecondFactor) return <Mark tone="set">Set up</Mark>;
  if (needsSecondFactor(of)) return <Mark tone="warn">Missing</Mark>;
  return <span className="quiet">{of.hasPassword ? 'none' : '–'}</span>;
}

function RolesOf({ roles }: { roles: Operator['roles'] }): ReactNode {
  if (roles.length === 0) return <span className="quiet">none</span>;
  return (
    <span className="foreign">
      {roles.map(({ role, selector }) => (selector ? `${role} of ${selector}` : role)).join(', ')}
    </span>
  );
}

/** Neither they nor a program of theirs can come in yet. @param keys that work; null: the reader may not see the keys of others */
const isWaiting = ({ disabledAt, hasPassword, providers }: Operator, keys: number | null): boolean =>
  disabledAt === null && !hasPassword && providers.length === 0 && keys === 0;

/** A lock stops a person whatever else is so. */
function Locked({ lock }: { lock: Schema<'LockView'> | undefined }): ReactNode {
  if (!lock) return null;
  return (
    <div className="foreign">
      <Icon name="lock" /> Locked: {lock.reason}
      {lock.endsAt && (
        <>
          , until <Ago at={lock.endsAt} />
        </>
      )}
    </div>
  );
}

function PersonState({ of: operator, keys }: { of: Operator; keys: number | null }): ReactNode {
  if (operator.disabledAt) return <Mark tone="plain">Disabled</Mark>;
  if (operator.hasPassword || operator.providers.length > 0) return <Mark tone="set">Can sign in</Mark>;
  if (isWaiting(operator, keys)) {
    return (
      <span title="No password, no provider, and no key that works: an invitation opens the account.">
        <Mark tone="warn">Waits for an invitation</Mark>
      </span>
    );
  }
  return <Mark tone="plain">{keys === null ? 'Keys only' : `${countText(keys, 'key')}, no sign-in`}</Mark>;
}

interface OpenDialogProps {
  of: PersonDialog;
  onOpen: (open: PersonDialog | null) => void;
}

function OpenDialog({ of: [dialog, operator], onOpen }: OpenDialogProps): ReactNode {
  const onClose = () => onOpen(null);
  if (dialog === 'add') return <AddPerson onInvite={(added) => onOpen(['invite', added])} onClose={onClose} />;
  if (dialog === 'invite') return <Invite operator={operator} onClose={onClose} />;
  if (dialog === 'roles') return <AssignRoles operator={operator} onClose={onClose} />;
  if (dialog === 'factor') return <RemoveSecondFactor operator={operator} onClose={onClose} />;
  return <Disable operator={operator} onClose={onClose} />;
}
