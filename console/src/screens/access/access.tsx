import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import { useQuery } from '@tanstack/react-query';
import { selfQuery } from '../../api/queries.js';
import { Page } from '../../ui/page.js';
import { Tabs } from '../../ui/tabs.js';
import { useSearchText } from '../../ui/to.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

interface AccessTab {
  readonly key: string;
  readonly label: string;
  /** The permission without which the tab is not shown. */
  readonly needs?: string;
  readonly component: ComponentType;
}

const TABS: readonly AccessTab[] = [
  {
    key: 'people',
    label: 'People',
    needs: 'operator.read',
    component: lazy(async () => ({ default: (await import('./people/people.js')).People })),
  },
  {
    key: 'roles',
    label: 'Roles',
    needs: 'role.read',
    component: lazy(async () => ({ default: (await import('./roles.js')).Roles })),
  },
  {
    key: 'explain',
    label: 'Who may do this',
    needs: 'rights.explain',
    component: lazy(async () => ({ default: (await import('./explaining/explain.js')).Explain })),
  },
  { key: 'keys', label: 'Keys', component: lazy(async () => ({ default: (await import('./keys/keys.js')).Keys })) },
  {
    key: 'approvals',
    label: 'Approvals',
    needs: 'approval.read',
    component: lazy(async () => ({ default: (await import('./approvals.js')).Approvals })),
  },
  {
    key: 'locks',
    label: 'Locks',
    needs: 'lock.read',
    component: lazy(async () => ({ default: (await import('./locks.js')).Locks })),
  },
  {
    key: 'sessions',
    label: 'Sessions',
    component: lazy(async () => ({ default: (await import('./sessions/sessions.js')).Sessions })),
  },
];

/** It is no part of the access of others: the menu of the own name leads there. */
const Account = lazy(async () => ({ default: (await import('../account/account.js')).Account }));

/** Who may do what: people, roles, keys, approvals and locks; at an address of its own, the own account. */
export function Access(): ReactNode {
  const [{ tab }] = useSearchText();
  const { data: self } = useQuery(selfQuery);
  const tabs = TABS.filter(({ needs }) => !needs || self?.permissions.includes(needs));
  if (tab === 'account')
    return (
      <Page title="Your account">
        <Suspense fallback={<AwaitedCards />}>
          <Account />
        </Suspense>
      </Page>
    );
  const current = tabs.find(({ key }) => key === tab) ?? tabs[0];
  if (!current) return null;
  const { component: Current } = current;
  return (
    <Page title="Access">
      <Tabs label="Parts of access" tabs={tabs.map(({ key, label }) => [key, label] as const)} current={current.key} />
      <Suspense fallback={<AwaitedCards />}>
        <Current />
      </Suspense>
    </Page>
  );
}
