import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { Notice } from '../../ui/messages.js';
import { useGo, useSearchText } from '../../ui/to.js';
import css from './entry.module.css';
import { EntryPage } from './entry-page.js';
import { FirstRun } from './first-run.js';
import { PasswordForm } from './password-form.js';
import { Providers } from './providers.js';
import { KEYS } from '../../api/keys/query-keys.js';

/** The sign-in: a password with a second factor, an OpenID provider, or the set-up of a new gateway. */
export function SignIn(): ReactNode {
  const [{ next = '/', setup, ended }, change] = useSearchText();
  const go = useGo();
  if (setup === 'yes') return <FirstRun onDone={() => change({ setup: undefined })} />;
  const signedIn = () => {
    queries.clear();
    const [path = '/', search = ''] = next.split('?');
    go(path, Object.fromEntries(new URLSearchParams(search)));
  };
  return (
    <EntryPage title="Sign in">
      {ended === 'yes' && <Notice>Your session has ended. Sign in to go on where you were.</Notice>}
      <PasswordForm onDone={signedIn} />
      <Providers next={next} />
      <Help onSetUp={() => change({ setup: 'yes' })} />
    </EntryPage>
  );
}

/** A gateway without an operator is set up first; of any other, an administrator helps who cannot sign in. */
function Help({ onSetUp }: { onSetUp: () => void }): ReactNode {
  const { data } = useQuery({ queryKey: KEYS.setup.all, queryFn: ({ signal }) => api.get('/v1/setup', { signal }) });
  if (!data) return null;
  if (data.finished)
    return (
      <p className={`quiet small ${css.help}`}>
        Forgotten your password? Ask an administrator of this gateway for a new invitation.
      </p>
    );
  return (
    <Notice>
      <span>This gateway has no operator yet. It printed a token at its start.</span>
      <div>
        <a
          href="?setup=yes"
          className="button"
          onClick={(event) => {
            event.preventDefault();
            onSetUp();
          }}
        >
          Set it up
        </a>
      </div>
    </Notice>
  );
}
