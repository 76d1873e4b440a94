import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { api } from '../api/client.js';
import { ownPath } from '../api/own-path.js';
import { queries, selfQuery } from '../api/queries.js';
import { forgetSession } from '../api/session-end.js';
import { Button } from '../ui/button.js';
import { Appearance } from './appearance.js';

/** The signed-in person: theme, times, account, sign-out. */
export function AccountMenu(): ReactNode {
  const { data: self } = useQuery(selfQuery);
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  const signOut = async () => {
    await api.post('/v1/logout').catch(() => undefined);
    queries.clear();
    forgetSession();
    location.assign(ownPath('/console/'));
  };
  return (
    <>
      <button type="button" className="button" data-kind="quiet" popoverTarget="account-menu">
        {self?.name ?? 'Account'}
      </button>
      {/* Another screen closes it. */}
      <div key={path} id="account-menu" popover="auto" className="popover" role="group" aria-label="Account">
        {self && (
          <p>
            <strong className="foreign">{self.name}</strong>{' '}
            <span className="small quiet foreign">{self.roles.map(({ role }) => role).join(', ')}</span>
          </p>
        )}
        <Appearance />
        <Link to={'/access'} search={{ tab: 'account' }}>
          Your account
        </Link>
        <Link to={'/access'} search={{ tab: 'keys' }}>
          API keys
        </Link>
        <a href={ownPath('/docs')} target="_blank" rel="noreferrer">
          API documents
        </a>
        <Button onClick={() => void signOut()}>Sign out</Button>
      </div>
    </>
  );
}
