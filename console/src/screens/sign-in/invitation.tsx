import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { api } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { EntryPage } from './entry-page.js';

/** Sets a first password. The token is in the fragment of the link, which reaches no server; the page removes it at once. */
export function AcceptInvitation(): ReactNode {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation'));
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [state, setState] = useState<'open' | 'busy' | 'done'>('open');
  const go = useGo();
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setState('busy');
    try {
      await api.post('/v1/invitations/accept', { body: { token: token ?? '', password } });
      setState('done');
    } catch (refusal) {
      setError(refusal);
      setState('open');
    }
  };
  if (state === 'done') {
    return (
      <EntryPage title="Your password is set">
        <Button kind="primary" onClick={() => go('/sign-in')}>
          Sign in
        </Button>
      </EntryPage>
    );
  }
  if (token === null)
    return (
      <EntryPage title="This link is not complete">
        <Notice tone="warn">Open the complete link from the invitation, or ask for a new one.</Notice>
        <Button onClick={() => go('/sign-in')}>Sign in</Button>
      </EntryPage>
    );
  const differ = again !== '' && again !== password;
  return (
    <EntryPage title="Choose a password">
      <form className="stack" onSubmit={(event) => void send(event)}>
        <TextField
          label="Password"
          type="password"
          value={password}
          required
          minLength={12}
          maxLength={128}
          autoFocus
          autoComplete="new-password"
          hint="12 to 128 characters; the invitation works once"
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label="Once more"
          type="password"
          value={again}
          required
          autoComplete="new-password"
          wrong={differ ? 'The two passwords are not the same' : null}
          onChange={(event) => setAgain(event.target.value)}
        />
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" busy={state === 'busy'} disabled={differ}>
          Set the password
        </Button>
      </form>
    </EntryPage>
  );
}
