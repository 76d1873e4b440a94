import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { JsonBlock } from '../../ui/json.js';
import { Failure, Notice } from '../../ui/messages.js';

type Result = Schema<'WebhookTest'>;

/** Sends one test message to a webhook, and shows what its receiver answered. */
export function WebhookTestDialog({
  webhook: { id, name, url },
  onClose,
}: {
  webhook: Schema<'Webhook'>;
  onClose: () => void;
}): ReactNode {
  const test = useAction({
    run: () => api.post('/v1/webhooks/{webhookId}/test', { params: { path: { webhookId: id } } }),
    done: ({ accepted }) => (accepted ? 'The receiver accepted the test' : 'The receiver did not accept the test'),
    isGood: ({ accepted }) => accepted,
    quiet: true,
  });
  return (
    <Dialog title={`Send a test to ${name}`} onClose={onClose}>
      <div className="dialog-body">
        <p>
          It sends one message of the type <code>fleetgate.webhook.test</code> to <code className="foreign">{url}</code>{' '}
          now, signed as events are. It is not among the deliveries, and is not tried again.
        </p>
        {test.error ? <Failure error={test.error} /> : null}
        {test.data && <Outcome result={test.data} />}
        <EquivalentLines command={`webhook test ${id}`} method="POST" path={`/v1/webhooks/${id}/test`} />
      </div>
      <div className="dialog-foot">
        <Button onClick={onClose}>{test.data ? 'Close' : 'Cancel'}</Button>
        <Button kind="primary" busy={test.isPending} onClick={() => test.mutate()}>
          {test.data ? 'Send another' : 'Send'}
        </Button>
      </div>
    </Dialog>
  );
}

function Outcome({ result: { accepted, status, error, ms, message } }: { result: Result }): ReactNode {
  return (
    <>
      <div role="status">
        <Notice tone={accepted ? 'good' : 'bad'}>
          <strong>{outcomeText({ accepted, status, ms })}</strong>
          {error && <span className="foreign">{error}</span>}
        </Notice>
      </div>
      <JsonBlock label="The message that was sent" value={message} />
    </>
  );
}

function outcomeText({ accepted, status, ms }: Pick<Result, 'accepted' | 'status' | 'ms'>): string {
  if (status === null) return `No answer came within ${ms} ms.`;
  return `The receiver ${accepted ? 'accepted' : 'did not accept'} the test with status ${status}, after ${ms} ms.`;
}
