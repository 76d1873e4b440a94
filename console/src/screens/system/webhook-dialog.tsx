import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { useUnchanged } from '../../api/use-unchanged.js';
import { api, type Schema } from '../../api/client.js';
import { type Equivalent, shellWord } from '../../api/equivalents.js';
import { fieldError } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Dialog, FormDialog } from '../../ui/dialog.js';
import { EquivalentLines, Line } from '../../ui/equivalent-lines.js';
import { CheckField, SelectField, TextField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { chosenTypes, EventTypes, type TypeChoice, typeChoice } from './event-types.js';

type Webhook = Schema<'Webhook'>;
type Format = Webhook['format'];

const FORMATS: readonly (readonly [value: Format, text: string])[] = [
  ['slack', 'Slack, Mattermost, Rocket.Chat'],
  ['teams', 'Microsoft Teams'],
  ['discord', 'Discord'],
  ['telegram', 'Telegram'],
  ['ntfy', 'ntfy'],
  ['mail', 'Mail'],
  ['cloudevents', 'A program (CloudEvents)'],
];

export const formatTitle = (format: Format): string => FORMATS.find(([value]) => value === format)?.[1] ?? format;

const titleOf = (format: Format): string =>
  `Add a webhook: ${format === 'cloudevents' ? 'feed a program' : format === 'mail' ? 'send mails' : 'tell a chat'}`;

/** Such an address as a receiver gives out. */
const exampleOf = (format: Format): string => {
  if (format === 'mail') return 'ada@example.com';
  return format === 'cloudevents' ? 'https://program.example/events' : 'https://chat.example/hook';
};

/** What a chat gets: what changed in the alerts of each rule. */
const NOTIFICATIONS = ['rule.notified'];

/** What an address of a mail begins with; a person writes the rest. */
const MAILTO = 'mailto:';

const LABELS = { name: 'Name', url: 'Address', format: 'Format', types: 'Events', enabled: 'Enabled' };

interface WebhookDialogProps {
  webhook?: Webhook;
  /** The format that a new one begins with. */
  start?: Format;
  onClose: () => void;
}

/** Adds a webhook, or changes one. The secret of a new one is shown once, by the dialog after this. */
export function WebhookDialog({ webhook, start = 'slack', onClose }: WebhookDialogProps): ReactNode {
  const [name, setName] = useState(webhook?.name ?? '');
  const [url, setUrl] = useState(webhook?.url.replace(MAILTO, '') ?? '');
  const [choice, setChoice] = useState<TypeChoice>(() =>
    typeChoice(webhook?.types ?? ['alert.*', 'rollout.*', 'system.*']),
  );
  const [enabled, setEnabled] = useState(webhook?.enabled ?? true);
  const [secret, setSecret] = useState<string | null>(null);
  const [format, setFormat] = useState<Format>(webhook?.format ?? start);
  const go = useGo();
  const isChat = format !== 'cloudevents';
  const types = isChat ? NOTIFICATIONS : chosenTypes(choice);
  const isMail = format === 'mail';
  const body = { name, url: isMail ? `${MAILTO}${url}` : url, format, types, enabled };
  const path = { webhookId: webhook?.id ?? '' };
  const send = useUnchanged(webhook ?? null, LABELS, () =>
    api.answer('get', '/v1/webhooks/{webhookId}', { params: { path } }),
  );
  const save = useAction({
    run: (): Promise<Webhook | Schema<'MadeWebhook'>> =>
      webhook
        ? send((header) => api.put('/v1/webhooks/{webhookId}', { params: { path, header }, body }))
        : api.post('/v1/webhooks', { body }),
    done: isMail ? 'Saved; a new address gets a code' : webhook ? 'Webhook saved' : 'Webhook added',
    refreshes: ['webhooks'],
    after: (result) => {
      if ('secret' in result && !isMail) return setSecret(result.secret);
      onClose();
      if (isMail) go('/system', { tab: 'webhooks', webhook: result.id }); // where its code is entered
    },
    quiet: true,
  });
  if (secret !== null) return <SecretDialog name={name} secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={webhook ? `Change ${webhook.name}` : titleOf(format)}
      send={webhook ? 'Save' : 'Add webhook'}
      busy={save.isPending}
      disabled={name === '' || url === '' || types.length === 0}
      missing={[name === '' && 'a name', url === '' && 'an address', types.length === 0 && 'an event']}
      onSend={() => save.mutate()}
      onClose={onClose}
    >
      {save.error ? <Failure error={save.error} /> : null}
      <SelectField
        label="Format"
        value={format}
        options={FORMATS}
        hint={
          isChat ? 'One message when alerts of a rule open, come back or close, at most every five minutes' : undefined
        }
        autoFocus={!webhook}
        onChange={({ target }) => setFormat(target.value as Format)}
      />
      <TextField
        label="Name"
        value={name}
        required
        maxLength={120}
        autoFocus={Boolean(webhook)}
        wrong={fieldError(save.error, 'name')}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Address"
        type={isMail ? 'email' : 'url'}
        value={url}
        required
        placeholder={exampleOf(format)}
        hint={webhook?.urlHidesSome ? 'What is hidden of it stays while it is unchanged.' : undefined}
        wrong={fieldError(save.error, 'url')}
        onChange={(event) => setUrl(event.target.value)}
      />
      {!isChat && <EventTypes choice={choice} wrong={fieldError(save.error, 'types')} onChange={setChoice} />}
      <CheckField
        label="Enabled: it sends events"
        checked={enabled}
        onChange={(event) => setEnabled(event.target.checked)}
      />
      <p className="small quiet">It gets the events that you may see, from when it is saved.</p>
      <EquivalentLines {...equivalent(webhook, body)} />
    </FormDialog>
  );
}

type WebhookInput = Schema<'CreateWebhook'>;

function equivalent(webhook: Webhook | undefined, body: WebhookInput): Equivalent {
  if (webhook)
    return {
      command: `webhook replace ${webhook.id} -f hook.yaml`,
      method: 'PUT',
      path: `/v1/webhooks/${webhook.id}`,
      body,
    };
  const words = [
    'webhook add',
    shellWord(body.name),
    '--to',
    shellWord(body.url),
    '--format',
    body.format ?? 'cloudevents',
    '--types',
    shellWord(body.types.join(',')),
  ];
  return { command: words.join(' '), method: 'POST', path: '/v1/webhooks', body };
}

function SecretDialog({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }): ReactNode {
  return (
    <Dialog title={`The secret of ${name}`} onClose={onClose}>
      <div className="dialog-body">
        <Notice tone="warn">
          <strong>Copy it now: it is shown only once.</strong>
          <span>The receiver checks the signature of each message with it (Standard Webhooks).</span>
        </Notice>
        <Line text={secret} />
      </div>
      <div className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          I stored it
        </Button>
      </div>
    </Dialog>
  );
}
