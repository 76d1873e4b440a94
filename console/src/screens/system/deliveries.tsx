import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { SelectFilter } from '../../ui/filters.js';
import { JsonBlock } from '../../ui/json.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { StateMark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { countText } from '../../api/amount-text.js';
import { Ago } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';

type Delivery = Schema<'WebhookDelivery'>;
type OpenDialog = { readonly what: 'message' | 'replay'; readonly delivery: Delivery };

const STATES = [
  ['waiting', 'Waiting'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
] as const;

/** What a webhook has sent and will send, newest first. */
export function Deliveries({ webhookId }: { webhookId: string }): ReactNode {
  const [{ state }] = useSearchText();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const list = useList('/v1/webhooks/{webhookId}/deliveries', {
    key: KEYS.webhooks.deliveries(webhookId),
    path: { webhookId },
    query: { state },
    every: 5_000,
  });
  const close = () => setOpen(null);
  return (
    <section className="stack" aria-labelledby="deliveries">
      <div className="row spread">
        <h2 id="deliveries">Deliveries</h2>
        <div className="inline-fields" role="search">
          <SelectFilter label="State" param="state" options={STATES} />
        </div>
      </div>
      <ListTable
        label="What was sent"
        list={list}
        columns={columnsFor(setOpen)}
        rowKey={({ id }) => id}
        empty={
          state ? (
            <Empty title="No delivery is in this state">Choose another state.</Empty>
          ) : (
            <Empty title="Nothing was sent yet">The next event of its types appears here, with the answer.</Empty>
          )
        }
      />
      {open?.what === 'message' && (
        <Dialog title={open.delivery.type} size="wide" onClose={close}>
          <div className="dialog-body">
            <JsonBlock label="The event that is sent" value={open.delivery.message} />
          </div>
        </Dialog>
      )}
      {open?.what === 'replay' && <ReplayDialog webhookId={webhookId} delivery={open.delivery} onClose={close} />}
    </section>
  );
}

const columnsFor = (show: (open: OpenDialog) => void): readonly Column<Delivery>[] => [
  {
    title: 'Event',
    narrow: 'heading',
    cell: ({ type }) => <code>{type}</code>,
    brief: (delivery) => (
      <Button kind="link" onClick={() => show({ what: 'message', delivery })}>
        <code>{delivery.type}</code>
      </Button>
    ),
  },
  { title: 'State', cell: ({ state }) => <StateMark state={state} /> },
  {
    title: 'Answer',
    cell: (delivery) => <Answer delivery={delivery} />,
    brief: ({ status, error }) => [status && `answer ${status}`, error].filter(Boolean).join(', '),
  },
  {
    title: 'Attempts',
    cell: ({ attempts }) => attempts,
    brief: ({ attempts }) => attempts > 1 && countText(attempts, 'attempt'),
    isNumber: true,
  },
  { title: 'Created', narrow: 'line', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: 'Next attempt',
    cell: ({ state, dueAt }) => (state === 'waiting' ? <Ago at={dueAt} /> : <span className="quiet">–</span>),
  },
  {
    title: '',
    cell: (delivery) => (
      <RowActions
        of={delivery.type}
        actions={[
          {
            text: 'Event',
            label: `Show the event ${delivery.type}`,
            onSelect: () => show({ what: 'message', delivery }),
          },
          delivery.state !== 'waiting' && {
            text: 'Send again',
            label: `Send ${delivery.type} again`,
            onSelect: () => show({ what: 'replay', delivery }),
          },
        ]}
      />
    ),
  },
];

function Answer({ delivery: { status, error, ms } }: { delivery: Delivery }): ReactNode {
  if (status === null && error === null) return <span className="quiet">–</span>;
  const text = [status === null ? null : `${status}`, error, ms === null ? null : `${ms} ms`]
    .filter((part) => part !== null)
    .join(' · ');
  return (
    <span className="foreign cut" title={text}>
      {text}
    </span>
  );
}

function ReplayDialog({
  webhookId,
  delivery,
  onClose,
}: {
  webhookId: string;
  delivery: Delivery;
  onClose: () => void;
}): ReactNode {
  const path = { webhookId, deliveryId: delivery.id };
  const replay = useAction({
    run: () => api.post('/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay', { params: { path } }),
    done: 'The event is sent again',
    refreshes: ['webhooks'],
    after: onClose,
  });
  return (
    <FormDialog
      title={`Send ${delivery.type} again`}
      send="Send again"
      busy={replay.isPending}
      onSend={() => replay.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        The same event with the same <code>webhook-id</code>: a receiver that has it already can tell.
      </p>
      <EquivalentLines
        command={`webhook replay ${webhookId} ${delivery.id}`}
        method="POST"
        path={`/v1/webhooks/${webhookId}/deliveries/${delivery.id}/replay`}
      />
    </FormDialog>
  );
}
