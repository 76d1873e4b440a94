import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../api/client.js';
import { isRefused } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { PasswordField, TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';

/** Name, password, and a code where the account has a second factor. @param name of the person, where it is known */
export function PasswordForm({ name: known, onDone }: { name?: string | undefined; onDone: () => void }): ReactNode {
  const [name, setName] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const needsCode = isRefused(error, 'second_factor_required') || isRefused(error, 'second_factor_refused');
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    try {
      await api.post('/v1/login', { body: { name, password, ...(code === '' ? {} : { code }) } });
      onDone();
    } catch (refusal) {
      setError(refusal);
      setCode('');
      if (isRefused(refusal, 'login_refused')) {
        setPassword('');
        form.querySelector<HTMLInputElement>('[autocomplete="current-password"]')?.focus();
      }
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
        readOnly={known !== undefined}
        autoComplete="username"
        autoFocus={known === undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <PasswordField
        label="Password"
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
