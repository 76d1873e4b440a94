import { type ReactNode, useState, useSyncExternalStore } from 'react';
import { api, type ApiError } from '../api/client.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { Failure } from '../ui/messages.js';

/* Some actions need a second factor that was shown a short time ago. The action waits for this dialog, then is sent again. */

interface PendingFactor {
  readonly how: string;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

let asked: PendingFactor | null = null;
let watcher: () => void = () => undefined;

function set(value: PendingFactor | null): void {
  asked = value;
  watcher();
}

/** Resolves when a code was accepted. @throws the refusal when the person gives up */
export function showSecondFactor(refusal: ApiError): Promise<void> {
  return new Promise((resolve, reject) => {
    set({ how: JSON.stringify(refusal.problem['how'] ?? ''), resolve, reject: () => reject(refusal) });
  });
}

export function SecondFactorDialog(): ReactNode {
  const open = useSyncExternalStore(
    (added) => {
      watcher = added;
      return () => void (watcher = () => undefined);
    },
    () => asked,
  );
  return open && <CodeForm asked={open} />;
}

function CodeForm({ asked: { how, resolve, reject } }: { asked: PendingFactor }): ReactNode {
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await api.post('/v1/self/second-factor', { body: { code } });
      set(null);
      resolve();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  const close = () => {
    set(null);
    reject(null);
  };
  return (
    <FormDialog
      title="Second factor"
      send="Continue"
      hasNoWork
      busy={busy}
      disabled={code.trim().length < 6}
      onSend={() => void send()}
      onClose={close}
    >
      <p className="quiet">This action needs a code of your authenticator, or a recovery code.</p>
      {how.includes('/v1/self/totp') && (
        <p>You have no second factor yet: set it up in Your account, below your name.</p>
      )}
      <TextField
        label="Code"
        value={code}
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        onChange={(event) => setCode(event.target.value)}
      />
      {error !== null && <Failure error={error} />}
    </FormDialog>
  );
}
