import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { fieldError } from '../../api/problems.js';
import { queries } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines, Line } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { EntryPage } from './entry-page.js';

/** Creates the first administrator of a new gateway, with the token that it printed. */
export function FirstRun({ onDone }: { onDone: () => void }): ReactNode {
  const [token, setToken] = useState('');
  const [operatorName, setName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [isSignedIn, setSignedIn] = useState(false);
  const [done, setDone] = useState<Schema<'SetupDone'> | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const made = await api.post('/v1/setup', { body: { token: token.trim(), operatorName, password } });
      await api.post('/v1/login', { body: { name: operatorName, password } }).then(
        () => setSignedIn(true),
        () => undefined, // the sign-in then asks again
      );
      queries.clear();
      setDone(made);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  if (done) return <Finished keyText={done.apiKey.key} isSignedIn={isSignedIn} onDone={onDone} />;
  return (
    <EntryPage title="Set up this gateway">
      <form className="stack" onSubmit={(event) => void send(event)}>
        <TextField
          label="Set-up token"
          value={token}
          required
          autoFocus
          autoComplete="off"
          hint="The gateway printed it at its start; it works for 24 hours"
          wrong={fieldError(error, 'token')}
          onChange={(event) => setToken(event.target.value)}
        />
        <TextField
          label="Your name"
          value={operatorName}
          required
          autoComplete="username"
          wrong={fieldError(error, 'operatorName')}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          value={password}
          required
          minLength={12}
          maxLength={128}
          autoComplete="new-password"
          hint="12 to 128 characters"
          wrong={fieldError(error, 'password')}
          onChange={(event) => setPassword(event.target.value)}
        />
        {error !== null && <Failure error={error} />}
        <Button type="submit" kind="primary" busy={busy}>
          Create the first administrator
        </Button>
        <Button kind="quiet" onClick={onDone}>
          Back to the sign-in
        </Button>
        <EquivalentLines
          method="POST"
          path="/v1/setup"
          body={{ token: '…', operatorName: operatorName || 'NAME', password: '…' }}
        />
      </form>
    </EntryPage>
  );
}

interface FinishedProps {
  keyText: string;
  isSignedIn: boolean;
  onDone: () => void;
}

/** The key of the first administrator, and the next step: a second factor. */
function Finished({ keyText, isSignedIn, onDone }: FinishedProps): ReactNode {
  const go = useGo();
  return (
    <EntryPage title="The gateway is set up">
      <Notice tone="warn">
        This API key is shown only now. Store it in a password manager, or revoke it in Access when you do not need it.
      </Notice>
      <Line text={keyText} />
      {isSignedIn ? (
        <>
          <p className="quiet">Next, protect your account with an authenticator: it takes a minute.</p>
          <Button kind="primary" onClick={() => go('/access', { tab: 'account' })}>
            Set up a second factor
          </Button>
          <Button kind="quiet" onClick={() => go('/')}>
            Later: open the console
          </Button>
        </>
      ) : (
        <Button kind="primary" onClick={onDone}>
          Sign in
        </Button>
      )}
    </EntryPage>
  );
}
