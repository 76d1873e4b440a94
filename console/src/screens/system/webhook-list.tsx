import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark, type Tone } from '../../ui/mark.js';
import { Line } from '../../ui/equivalent-lines.js';
import { Failure, Loading } from '../../ui/messages.js';
import { TabHead } from '../../ui/rows/tab-head.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { typesText } from './event-types.js';
import { formatTitle, WebhookDialog } from './webhook-dialog.js';

type Webhook = Schema<'Webhook'>;

/** All webhooks: there are few, so they come in one answer. */
export function Webhooks(): ReactNode {
  const [adding, setAdding] = useState<Webhook['format'] | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.webhooks.all,
    queryFn: ({ signal }) => api.get('/v1/webhooks', { signal }),
  });
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding('slack')}>
      Add a webhook
    </Button>
  );
  return (
    <>
      {adding && <WebhookDialog start={adding} onClose={() => setAdding(null)} />}
      {!data && (error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading />)}
      {data?.items.length === 0 && <NoWebhooks action={add} onStart={setAdding} />}
      {data && data.items.length > 0 && (
        <>
          <TabHead text="Each sends events to another system, signed and with retries for a day.">{add}</TabHead>
          <Table label="Webhooks" columns={COLUMNS} rows={data.items} rowKey={({ id }) => id} />
        </>
      )}
    </>
  );
}

const USES: readonly (readonly [start: Webhook['format'], title: string, text: string])[] = [
  ['slack', 'Tell a chat', 'One message when alerts of a rule open or close, also about many devices.'],
  ['mail', 'Send mails', 'The same by mail, after the address is confirmed with a code.'],
  [
    'cloudevents',
    'Feed a program',
    'Each event as it happens: rollouts, jobs, devices; signed, with retries for a day.',
  ],
];

interface NoWebhooksProps {
  action: ReactNode;
  onStart: (format: Webhook['format']) => void;
}

function NoWebhooks({ action, onStart }: NoWebhooksProps): ReactNode {
  return (
    <>
      <TabHead text="No webhooks yet. A webhook sends events to another system: a rollout that paused, a device that does not answer.">
        {action}
      </TabHead>
      <div className="columns">
        {USES.map(([start, title, text]) => (
          <Card key={start} title={title}>
            <div className="stack">
              <p className="quiet">{text}</p>
              <div>
                <Button aria-label={`${title}: set it up`} onClick={() => onStart(start)}>
                  Set it up
                </Button>
              </div>
            </div>
          </Card>
        ))}
      </div>
      <Line text="fleetgate webhook add chat --to https://chat.example/hook --types 'rollout.*'" />
    </>
  );
}

const COLUMNS: readonly Column<Webhook>[] = [
  {
    title: 'Name',
    cell: ({ id, name }) => (
      <To to="/system" search={{ tab: 'webhooks', webhook: id }} className="foreign cut" title={name}>
        {name}
      </To>
    ),
  },
  { title: 'State', cell: (webhook) => <WebhookState webhook={webhook} /> },
  {
    title: 'Sends to',
    narrow: 'line',
    cell: ({ url }) => (
      <span className="foreign cut" title={url}>
        {url}
      </span>
    ),
  },
  {
    title: 'Events',
    narrow: 'line',
    cell: ({ types }) => (
      <span className="cut" title={types.join(', ')}>
        {typesText(types)}
      </span>
    ),
  },
  { title: 'Format', cell: ({ format }) => formatTitle(format) },
  { title: 'Last delivery', cell: ({ id }) => <LastDelivery webhookId={id} /> },
  {
    title: 'Created by',
    cell: ({ createdByName }) => <span className="foreign">{createdByName}</span>,
  },
  { title: 'Created', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

/** What came of the newest event that was sent. */
function LastDelivery({ webhookId }: { webhookId: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: KEYS.webhooks.lastDelivery(webhookId),
    queryFn: ({ signal }) =>
      api.get('/v1/webhooks/{webhookId}/deliveries', { params: { path: { webhookId }, query: { limit: 1 } }, signal }),
    refetchInterval: 30_000, // no event tells of a delivery
  });
  if (error) return <span className="quiet">cannot be read</span>;
  if (!data) return <span className="quiet">…</span>;
  const [last] = data.items;
  if (!last) return <span className="quiet">none yet</span>;
  return (
    <span className="row" title={last.error ?? undefined}>
      <Mark tone={DELIVERED[last.state]}>{last.status === null ? WORDS[last.state] : String(last.status)}</Mark>
      <span className="quiet">
        <Ago at={last.endedAt ?? last.createdAt} />
      </span>
    </span>
  );
}

const DELIVERED = { delivered: 'good', waiting: 'busy', failed: 'bad' } as const;
const WORDS = { delivered: 'Delivered', waiting: 'Waiting', failed: 'Failed' } as const;

export function WebhookState({ webhook }: { webhook: Webhook }): ReactNode {
  const [tone, text] = stateOf(webhook);
  return <Mark tone={tone}>{text}</Mark>;
}

function stateOf({ enabled, orphaned, quarantinedAt, format, confirmedAt }: Webhook): [Tone, string] {
  if (quarantinedAt) return ['bad', 'In quarantine'];
  if (orphaned) return ['warn', 'Author disabled'];
  if (enabled && format === 'mail' && confirmedAt === null) return ['warn', 'Waits for its code'];
  return enabled ? ['set', 'Sends'] : ['plain', 'Disabled'];
}
