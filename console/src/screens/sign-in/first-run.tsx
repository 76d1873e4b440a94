import { type FormEvent, type ReactNode, useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { fieldError } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Line } from '../../ui/equivalent.js';
import { TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { EntryPage } from './entry-page.js';

/** Creates the first administrator of a new gateway, with the token that it printed. */
export function FirstRun({ onDone }: { onDone: () => void }): ReactNode {
  const [token, setToken] = useState('');
  const [operatorName, setName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<Schema<'SetupDone'> | null>(null);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      setDone(await api.post('/v1/setup', { body: { token: token.trim(), operatorName, password } }));
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  if (done) return <Finished keyText={done.apiKey.key} onDone={onDone} />;
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
      </form>
    </EntryPage>
  );
}

function Finished({ keyText, onDone }: { keyText: string; onDone: () => void }): ReactNode {
  return (
    <EntryPage title="The gateway is set up">
      <Notice tone="warn">
        This API key is shown only now. Store it in a password manager, or revoke it in Access when you do not need it.
      </Notice>
      <Line text={keyText} />
      <Button kind="primary" onClick={onDone}>
        Sign in
      </Button>
    </EntryPage>
  );
}
