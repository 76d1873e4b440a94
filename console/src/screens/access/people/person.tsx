import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { permissionText } from '../../../../../src/api-client/permission-words.js';
import { type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { operatorsQuery } from '../../../api/queries.js';
import { useRecent } from '../../../shell/palette/use-recent.js';
import { Button } from '../../../ui/button.js';
import { Empty, Failure, Notice } from '../../../ui/messages.js';
import { Card, Facts, Page } from '../../../ui/page.js';
import { AwaitedCards } from '../../../ui/rows/awaited.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import { EntryTable } from '../../audit/entry-table.js';
import { keysQuery, rolesQuery, useWorkingKeys } from '../accounts.js';
import { ActsOf } from '../explaining/act-matrix.js';
import { KeyList } from '../keys/keys.js';
import { Lift } from '../lift.js';
import { ALL_PERMISSIONS } from '../permissions.js';
import { grantsCount, type Rule } from '../role-grants.js';
import { Sessions } from '../sessions/sessions.js';
import { PersonActions } from './person-actions.js';
import { Factor, isWaiting, Locked, PersonState, usePersonLocks } from './person-state.js';

type Operator = Schema<'Operator'>;

/** One person: how they come in, what they may do, their keys and sessions, and what they did last. */
export function PersonScreen(): ReactNode {
  const { operatorId } = useParams({ strict: false }) as { operatorId?: string };
  const mayRead = useMay('operator.read');
  const { data, error, refetch } = useQuery({ ...operatorsQuery, enabled: mayRead });
  const person = data?.items.find(({ id }) => id === operatorId);
  useRecent(person?.name, `/access/people/${operatorId}`);
  if (person) return <Loaded key={person.id} person={person} />;
  if (data) return <NoSuchPerson />;
  if (!mayRead) return <NotForReader />;
  return (
    <Page title="Person">{error ? <Failure error={error} onRetry={() => void refetch()} /> : <AwaitedCards />}</Page>
  );
}

function NotForReader(): ReactNode {
  return (
    <Page title="Person">
      <div className="card">
        <Empty
          title="You may not see other people"
          action={
            <To to="/access" search={{ tab: 'account' }}>
              Your account
            </To>
          }
        >
          It needs the permission to {permissionText('operator.read')}. An administrator can give it to you.
        </Empty>
      </div>
    </Page>
  );
}

function NoSuchPerson(): ReactNode {
  return (
    <Page title="There is no such person">
      <div className="card">
        <Empty title="No person has this address" action={<To to="/access">All people</To>}>
          Check the address, or choose a person of the list.
        </Empty>
      </div>
    </Page>
  );
}

function Loaded({ person }: { person: Operator }): ReactNode {
  const working = useWorkingKeys();
  const lock = usePersonLocks()(person.id);
  const keys = working && (working.get(person.id) ?? 0);
  const [mayExplain, seesKeys] = [useMay('rights.explain'), useMay('key.manage')];
  const [seesSessions, seesAudit] = [useMay('operator.manage'), useMay('audit.read')];
  return (
    <Page
      title={person.name}
      beside={<PersonState of={person} keys={keys} />}
      actions={<PersonActions operator={person} keys={keys} />}
    >
      {lock && <UnderLock lock={lock} />}
      <div className="columns">
        <Card title="Sign-in">
          <SignIn person={person} keys={keys} />
        </Card>
        <Card title="Roles">
          <Roles of={person.roles} />
        </Card>
      </div>
      {seesAudit && <LastActs name={person.name} />}
      {mayExplain && (
        <Card title="What they may do" flush>
          <ActsOf id={person.id} />
        </Card>
      )}
      {seesKeys && <KeysOf id={person.id} />}
      {seesSessions && (
        <Card title="Where they are signed in" flush>
          <Sessions person={person.id} />
        </Card>
      )}
    </Page>
  );
}

/** It stops all that the person does: so it stands before all that they may. */
function UnderLock({ lock }: { lock: Schema<'LockView'> }): ReactNode {
  const [isLifting, setLifting] = useState(false);
  const mayLift = useMay('lock.manage');
  return (
    <Notice tone="warn">
      <span className="row spread">
        <Locked lock={lock} />
        {mayLift && <Button onClick={() => setLifting(true)}>Lift</Button>}
      </span>
      {isLifting && <Lift lock={lock} onClose={() => setLifting(false)} />}
    </Notice>
  );
}

/** @param keys of programs that work; null: the reader may not see them */
function SignIn({ person, keys }: { person: Operator; keys: number | null }): ReactNode {
  const ways = [...(person.hasPassword ? ['password'] : []), ...person.providers];
  return (
    <Facts
      of={[
        ['By', ways.join(', ') || (isWaiting(person, keys) ? 'nothing yet: invite them' : 'keys of programs only')],
        ['Second factor', <Factor key="factor" of={person} />],
        ['Last sign-in', person.lastSignInAt ? <Ago key="last" at={person.lastSignInAt} /> : 'never'],
        ['Added', <Ago key="added" at={person.createdAt} />],
        ...(person.disabledAt ? [['Disabled', <Ago key="disabled" at={person.disabledAt} />] as const] : []),
      ]}
    />
  );
}

function Roles({ of }: { of: Operator['roles'] }): ReactNode {
  const { data } = useQuery({ ...rolesQuery, enabled: useMay('role.read') });
  if (of.length === 0) return <p className="quiet">No role: this person may do nothing.</p>;
  const amountOf = (name: string) => {
    const role = data?.items.find((one) => one.name === name);
    return role && grantsCount(role.rules as Rule[], ALL_PERMISSIONS);
  };
  return (
    <Facts
      of={of.map(({ role, selector }) => [
        role,
        selector === null ? (
          (amountOf(role) ?? 'as far as its rules go')
        ) : (
          <span key={role}>
            {[amountOf(role), 'on'].filter(Boolean).join(', ')}{' '}
            <To to="/devices" search={{ selector }}>
              {selector}
            </To>
          </span>
        ),
      ])}
    />
  );
}

const ACTS_SHOWN = 10;

function LastActs({ name }: { name: string }): ReactNode {
  const list = useList('/v1/audit', { key: KEYS.audit.list, query: { who: name, limit: 50 } });
  return (
    <Card
      title="What they did last"
      flush
      actions={
        <To to="/audit" search={{ who: name }} className="small">
          All of it
        </To>
      }
    >
      <EntryTable
        label="What this person did last"
        list={{ ...list, hasMore: false }}
        most={ACTS_SHOWN}
        empty={<p className="quiet">Nothing yet.</p>}
      />
    </Card>
  );
}

function KeysOf({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useQuery(keysQuery(true));
  const keys = data?.items.filter(({ operatorId }) => operatorId === id);
  return (
    <Card title="Keys for programs" flush>
      <div className="stack">
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : null}
        {keys?.length === 0 && <p className="quiet">None.</p>}
        {keys && keys.length > 0 && <KeyList keys={keys} />}
      </div>
    </Card>
  );
}
