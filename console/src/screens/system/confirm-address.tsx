import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { fieldError } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';

/** Takes the code that the owner of a mail address got, or has another one sent. */
export function ConfirmAddress({ webhook: { id, url } }: { webhook: Schema<'Webhook'> }): ReactNode {
  const [code, setCode] = useState('');
  const params = { path: { webhookId: id } };
  const confirm = useAction({
    run: () => api.post('/v1/webhooks/{webhookId}/confirm', { params, body: { code } }),
    done: 'The address is confirmed',
    refreshes: ['webhooks'],
    quiet: true,
  });
  const again = useAction({
    run: () => api.post('/v1/webhooks/{webhookId}/code', { params }),
    done: 'Another code was given to the mail server',
    refreshes: [],
    quiet: true,
  });
  const error = confirm.error ?? again.error;
  return (
    <Notice tone="warn">
      <strong>The owner of the address has not confirmed it, so it gets nothing yet.</strong>
      <span>
        A code was sent to <span className="foreign">{url.replace('mailto:', '')}</span>. It holds for a day.
      </span>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate();
        }}
      >
        <TextField
          label="Code"
          inputMode="numeric"
          autoComplete="one-time-code"
          placeholder="1234 5678"
          maxLength={20}
          value={code}
          wrong={fieldError(confirm.error, 'code')}
          onChange={(event) => setCode(event.target.value)}
        />
        <Button type="submit" kind="primary" busy={confirm.isPending} disabled={code.trim() === ''}>
          Confirm
        </Button>
        <Button busy={again.isPending} onClick={() => again.mutate()}>
          Send another code
        </Button>
      </form>
      {again.data?.accepted === false && (
        <span>The mail server did not take it: {again.data.error ?? again.data.status}</span>
      )}
      {error ? <Failure error={error} /> : null}
    </Notice>
  );
}
