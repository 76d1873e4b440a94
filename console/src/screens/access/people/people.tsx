import { type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api, type Schema } from '../../../api/client.js';
import { useMay } from '../../../api/may.js';
import { operatorsQuery } from '../../../api/queries.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { Button } from '../../../ui/button.js';
import { Table } from '../../../ui/list-table.js';
import { Mark } from '../../../ui/mark.js';
import { Failure } from '../../../ui/messages.js';
import { Card, Facts } from '../../../ui/page.js';
import { AwaitedTable } from '../../../ui/rows/awaited.js';
import { TabHead } from '../../../ui/rows/tab-head.js';
import { Ago } from '../../../ui/time.js';
import { DocLink, useAddForm } from '../../../ui/to.js';
import { useWorkingKeys } from '../accounts.js';
import { AddPerson } from './add-person.js';
import { Invite } from './invite.js';
import { PersonActions } from './person-actions.js';
import { PersonLink } from './person-link.js';
import { Factor, Locked, PersonState, usePersonLocks } from './person-state.js';
import { needsSecondFactor } from './second-factor-need.js';

type Operator = Schema<'Operator'>;

/** People and programs that have an account. */
export function People(): ReactNode {
  const [invited, setInvited] = useState<{ operator: Operator; made: Schema<'Invitation'> | null } | null>(null);
  const mayManage = useMay('operator.manage');
  const [isAdding, setAdding] = useAddForm(mayManage);
  const query = useQuery(operatorsQuery);
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <AwaitedTable titles={['Name', 'Roles', 'State', 'Second factor', 'Last sign-in']} />;
  const addAndInvite = (operator: Operator, made: Schema<'Invitation'> | null) => {
    setAdding(false);
    setInvited({ operator, made });
  };
  return (
    <div className="stack">
      <TabHead text="People, and programs that act under a name of their own.">
        {mayManage && (
          <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
            Add a person
          </Button>
        )}
      </TabHead>
      <PeopleTable rows={query.data.items} />
      <Card title="Sign-in by OpenID Connect">
        <Providers people={query.data.items} />
      </Card>
      {isAdding && <AddPerson onInvite={addAndInvite} onClose={() => setAdding(false)} />}
      {invited && <Invite {...invited} onClose={() => setInvited(null)} />}
    </div>
  );
}

/** The providers, each with the people who are linked to it. */
function Providers({ people }: { people: readonly Operator[] }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.oidc.all,
    queryFn: ({ signal }) => api.get('/v1/oidc', { signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data?.items.length) {
    return (
      <p className="quiet">
        No provider is set up. The setting <code>OIDC_PROVIDERS</code> adds one.{' '}
        <DocLink of="reference/operators">How it is set up</DocLink>
      </p>
    );
  }
  const linkedTo = (id: string) => people.filter(({ providers }) => providers.includes(id)).map(({ name }) => name);
  return <Facts of={data.items.map(({ id, name }) => [name, linkedTo(id).join(', ') || 'no person is linked yet'])} />;
}

function PeopleTable({ rows }: { rows: readonly Operator[] }): ReactNode {
  const keys = useWorkingKeys();
  const keysOf = ({ id }: Operator) => keys && (keys.get(id) ?? 0);
  const lockOf = usePersonLocks();
  return (
    <Table
      label="People"
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: 'Name', cell: ({ id, name }) => <PersonLink id={id} name={name} />, narrow: 'heading' },
        { title: 'Roles', narrow: 'line', cell: ({ roles }) => <RolesOf roles={roles} /> },
        {
          title: 'State',
          cell: (operator) => (
            <>
              <Locked lock={lockOf(operator.id)} />
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
        {
          title: 'Last sign-in',
          cell: ({ lastSignInAt }) => <Ago at={lastSignInAt} />,
          brief: ({ lastSignInAt }) =>
            lastSignInAt && (
              <>
                signed in <Ago at={lastSignInAt} />
              </>
            ),
        },
        { title: '', cell: (operator) => <PersonActions operator={operator} keys={keysOf(operator)} /> },
      ]}
    />
  );
}

function RolesOf({ roles }: { roles: Operator['roles'] }): ReactNode {
  if (roles.length === 0) return <span className="quiet">none</span>;
  return (
    <span className="foreign">
      {roles.map(({ role, selector }) => (selector ? `${role} of ${selector}` : role)).join(', ')}
    </span>
  );
}
