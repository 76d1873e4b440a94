import { type ReactNode } from 'react';
import { queries } from '../../api/queries.js';
import { Notice } from '../../ui/messages.js';
import { useGo, useSearchText } from '../../ui/to.js';
import { EntryPage } from './entry-page.js';
import { FirstRun } from './first-run.js';
import { PasswordForm } from './password-form.js';
import { Providers } from './providers.js';

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
      <p className="quiet small">
        A new gateway has no operator yet:{' '}
        <a
          href="?setup=yes"
          onClick={(event) => {
            event.preventDefault();
            change({ setup: 'yes' });
          }}
        >
          set it up
        </a>{' '}
        with the token that it printed at its start.
      </p>
    </EntryPage>
  );
}
