import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';
import { isRefused } from '../../api/problems.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { useGo, useSearchText } from '../../ui/to.js';
import { EntryPage } from './entry-page.js';
import { FirstRun } from './first-run.js';

/** The sign-in: a password with a second factor, an OpenID provider, or the set-up of a new gateway. */
export function SignIn(): ReactNode {
  const [{ next = '/', setup }, change] = useSearchText();
  if (setup === 'yes') return <FirstRun onDone={() => change({ setup: undefined })} />;
  return (
    <EntryPage title="Sign in">
      <PasswordForm next={next} />
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

function PasswordForm({ next }: { next: string }): ReactNode {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const go = useGo();
  const needsCode = isRefused(error, 'second_factor_required') || isRefused(error, 'second_factor_refused');
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await api.post('/v1/login', { body: { name, password, ...(code === '' ? {} : { code }) } });
      queries.clear();
      const [path = '/', search = ''] = next.split('?');
      go(path, Object.fromEntries(new URLSearchParams(search)));
    } catch (refusal) {
      setError(refusal);
      setCode('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void send(event)}>
      <TextField
        label="Name"
        value={name}
        required
        autoComplete="username"
        autoFocus
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Password"
        type="password"
        value={password}
        required
        autoComplete="current-password"
        onChange={(event) => setPassword(event.target.value)}
      />
      {needsCode && (
        <TextField
          label="Code"
          value={code}
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          hint="Six digits of your authenticator, or a recovery code"
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      {error !== null && !isRefused(error, 'second_factor_required') && <Failure error={error} />}
      <Button type="submit" kind="primary" busy={busy}>
        Sign in
      </Button>
    </form>
  );
}

function Providers({ next }: { next: string }): ReactNode {
  const { data } = useQuery({ queryKey: ['oidc'], queryFn: ({ signal }) => api.get('/v1/oidc', { signal }) });
  if (!data?.items.length) return null;
  return (
    <div className="stack">
      {data.items.map(({ id, name }) => (
        <a
          key={id}
          className="button"
          href={ownPath(`/v1/oidc/${encodeURIComponent(id)}/login?returnTo=${encodeURIComponent(`/console${next}`)}`)}
        >
          Sign in with {name}
        </a>
      ))}
    </div>
  );
}
