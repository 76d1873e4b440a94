import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { RowMenu } from '../../ui/row-menu.js';
import { Ago } from '../../ui/time.js';
import { To, useGo } from '../../ui/to.js';
import { Deliveries } from './deliveries.js';
import { typesText } from './event-types.js';
import { ConfirmAddress } from './confirm-address.js';
import { WebhookDialog } from './webhook-dialog.js';
import { WebhookTestDialog } from './webhook-test.js';
import { WebhookState } from './webhook-list.js';

type Webhook = Schema<'Webhook'>;

/** One webhook and what it has sent. */
export function WebhookScreen({ id }: { id: string }): ReactNode {
  const [open, setOpen] = useState<'test' | 'edit' | 'remove' | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.webhooks.one(id),
    queryFn: ({ signal }) => api.get('/v1/webhooks/{webhookId}', { params: { path: { webhookId: id } }, signal }),
  });
  const close = () => setOpen(null);
  return (
    <>
      <p className="small">
        <To to="/system" search={{ tab: 'webhooks' }}>
          All webhooks
        </To>
      </p>
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data && (
        <>
          <Problem webhook={data} />
          {data.format === 'mail' && data.confirmedAt === null && <ConfirmAddress webhook={data} />}
          <div className="row spread">
            <h2 className="foreign">{data.name}</h2>
            <span className="row">
              <Button onClick={() => setOpen('test')}>Send a test</Button>
              <Button onClick={() => setOpen('edit')}>Change</Button>
              <RowMenu
                of={data.name}
                actions={[{ text: 'Remove', isDanger: true, onSelect: () => setOpen('remove') }]}
              />
            </span>
          </div>
          <Card>
            <About webhook={data} />
          </Card>
          <Deliveries webhookId={id} />
          {open === 'test' && <WebhookTestDialog webhook={data} onClose={close} />}
          {open === 'edit' && <WebhookDialog webhook={data} onClose={close} />}
          {open === 'remove' && <RemoveDialog webhook={data} onClose={close} />}
        </>
      )}
    </>
  );
}

/** Why a webhook sends nothing, and what helps. */
function Problem({ webhook }: { webhook: Webhook }): ReactNode {
  const { enabled, orphaned, quarantinedAt } = webhook;
  if (quarantinedAt)
    return (
      <Notice tone="bad">
        <strong>It was stopped, because three processes were lost while they worked on it.</strong>
        <span>
          Look at the logs of the processes. It sends again after you save it with “Enabled” (<Ago at={quarantinedAt} />
          ).
        </span>
      </Notice>
    );
  if (orphaned)
    return (
      <Notice tone="warn">
        <strong>Its author was disabled, or their key was revoked.</strong>
        <span>It sends nothing until an operator saves it again.</span>
      </Notice>
    );
  return enabled ? null : (
    <Notice>It is disabled and sends nothing. A receiver that answers 410 disables a webhook, too.</Notice>
  );
}

function About({ webhook }: { webhook: Webhook }): ReactNode {
  const { url, urlHidesSome, types, createdByName, createdAt } = webhook;
  return (
    <Facts
      of={[
        ['State', <WebhookState key="state" webhook={webhook} />],
        ['Sends to', urlHidesSome ? `${url} (a user, password or query is hidden)` : url],
        ['Events', typesText(types)],
        ['Created by', createdByName],
        ['Created', <Ago key="created" at={createdAt} />],
      ]}
    />
  );
}

function RemoveDialog({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }): ReactNode {
  const go = useGo();
  const remove = useAction({
    run: () => api.delete('/v1/webhooks/{webhookId}', { params: { path: { webhookId: id } } }),
    done: 'Webhook removed',
    refreshes: ['webhooks'],
    after: () => {
      onClose();
      go('/system', { tab: 'webhooks' });
    },
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      send="Remove webhook"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `webhook remove ${id} --yes`, method: 'DELETE', path: `/v1/webhooks/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      It sends nothing more, its log of deliveries is removed, and its secret is lost.
    </Confirm>
  );
}
