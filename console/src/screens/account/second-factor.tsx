import { type FormEvent, type ReactNode, useState } from 'react';
import { encode } from 'uqr';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { EquivalentLines, Line } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Notice } from '../../ui/messages.js';

/** Sets up an authenticator, makes new recovery codes, or removes it. What is secret is shown once. */
export function SecondFactor({ isSet }: { isSet: boolean }): ReactNode {
  const [enrolment, setEnrolment] = useState<Schema<'SecondFactorEnrolment'> | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  if (codes) return <RecoveryCodes codes={codes} onStored={() => setCodes(null)} />;
  if (enrolment && !isSet) return <ConfirmFactor enrolment={enrolment} onDone={setCodes} />;
  if (!isSet) return <BeginFactor onBegun={setEnrolment} />;
  return (
    <div className="stack">
      <Mark tone="set">An authenticator is set up</Mark>
      <ChangeFactor onCodes={setCodes} />
      <p className="small quiet">To move to another authenticator, remove this one first.</p>
    </div>
  );
}

function BeginFactor({ onBegun }: { onBegun: (enrolment: Schema<'SecondFactorEnrolment'>) => void }): ReactNode {
  const [password, setPassword] = useState('');
  const begin = useAction({
    run: () => api.post('/v1/self/totp', { body: { password } }),
    done: 'Scan the code with your authenticator',
    after: onBegun,
    quiet: true,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  return (
    <form className="stack" onSubmit={send}>
      <p className="quiet">An authenticator shows a code for each sign-in and for what cannot be undone.</p>
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {begin.error ? <Failure error={begin.error} /> : null}
      <div>
        <Button type="submit" kind="primary" busy={begin.isPending}>
          Set up an authenticator
        </Button>
      </div>
      <EquivalentLines method="POST" path="/v1/self/totp" body={{ password: '…' }} />
    </form>
  );
}

/** For a person who has an authenticator: its code gives new recovery codes, or removes it. */
function ChangeFactor({ onCodes }: { onCodes: (codes: readonly string[]) => void }): ReactNode {
  const [code, setCode] = useState('');
  const renew = useAction({
    run: () => api.post('/v1/self/recovery-codes', { body: { code } }),
    done: 'Your old recovery codes stop working',
    after: ({ recoveryCodes }) => onCodes(recoveryCodes),
    quiet: true,
  });
  const remove = useAction({
    run: () => api.post('/v1/self/totp/remove', { body: { code } }),
    done: 'The second factor is removed',
    refreshes: ['self', 'operators'],
    after: () => setCode(''),
    quiet: true,
  });
  const error = renew.error ?? remove.error;
  const send = (event: FormEvent) => {
    event.preventDefault();
    remove.reset();
    renew.mutate();
  };
  return (
    <form className="stack" onSubmit={send}>
      <TextField
        label="Code of your authenticator"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {error ? <Failure error={error} /> : null}
      <div className="row">
        <Button type="submit" busy={renew.isPending}>
          New recovery codes
        </Button>
        <Button
          kind="danger"
          busy={remove.isPending}
          disabled={code.trim().length < 6}
          onClick={() => {
            renew.reset();
            remove.mutate();
          }}
        >
          Remove the second factor
        </Button>
      </div>
      <EquivalentLines method="POST" path="/v1/self/recovery-codes" body={{ code: '…' }} />
    </form>
  );
}

function ConfirmFactor({
  enrolment: { secret, uri },
  onDone,
}: {
  enrolment: Schema<'SecondFactorEnrolment'>;
  onDone: (codes: readonly string[]) => void;
}): ReactNode {
  const [code, setCode] = useState('');
  const confirm = useAction({
    run: () => api.post('/v1/self/totp/confirm', { body: { code } }),
    done: 'The second factor is in force',
    refreshes: ['self'],
    after: ({ recoveryCodes }) => onDone(recoveryCodes),
    quiet: true,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  return (
    <form className="stack" onSubmit={send}>
      <QrCode text={uri} />
      <p className="quiet">Or type this secret into the authenticator. It is shown only now.</p>
      <Line text={secret} />
      <TextField
        label="Code of the authenticator"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        autoFocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {confirm.error ? <Failure error={confirm.error} /> : null}
      <div>
        <Button type="submit" kind="primary" busy={confirm.isPending}>
          Confirm
        </Button>
      </div>
      <EquivalentLines method="POST" path="/v1/self/totp/confirm" body={{ code: '…' }} />
    </form>
  );
}

/** Dark on light in every theme: cameras read it so. */
function QrCode({ text }: { text: string }): ReactNode {
  const { data, size } = encode(text, { ecc: 'M', border: 3 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      role="img"
      aria-label="QR code for the authenticator"
      viewBox={`0 0 ${size} ${size}`}
      width="200"
      height="200"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}

function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }): ReactNode {
  return (
    <div className="stack">
      <Notice tone="warn">
        Store these recovery codes apart from the authenticator. Each works once. They are shown only now.
      </Notice>
      <pre className="code" tabIndex={0}>
        {codes.join('\n')}
      </pre>
      <div className="row">
        <Button kind="primary" onClick={onStored}>
          I stored them
        </Button>
        <CopyButton text={codes.join('\n')} label="Copy the codes" />
      </div>
    </div>
  );
}
