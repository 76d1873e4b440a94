import { isNativeError } from 'node:util/types';
import { Inject, Injectable } from '@nestjs/common';
import { Webhook as Signer } from 'standardwebhooks';
import { AddressRules } from '../devices/registry/address-rules.js';
import { isForbiddenAddress } from '../devices/registry/base-url.js';
import { Clock } from '../platform/clock.js';
import { Secrets } from '../secrets/secrets.js';
import { storableText } from '../database/storable.js';
import { withoutHidden } from './webhook-address.js';
import { Mailer } from './mailer.js';
import { type Format, type MessageBody } from './notification-bodies.js';
import { bodyOf, type CloudEvent, isAccepted } from './webhook-message.js';
import { postWebhook } from './webhook-post.js';
import { secretLocation } from './webhook.entity.js';

/* Sends one message to the receiver of a webhook, signed, and says what it answered. Deliveries and tests are sent alike. */

/** The receiver must answer within this time, to the last byte: the next deliveries of all wait for it. */
const TIMEOUT_MS = 15_000;

/** For an error answer in the log of deliveries. */
const ERROR_LENGTH = 500;

const TOO_LATE = `no complete answer within ${TIMEOUT_MS / 1_000} seconds`;

export interface WebhookMessage {
  /** By which the receiver recognises a duplicate. */
  readonly id: string;
  readonly message: CloudEvent;
  readonly webhookId: string;
  readonly url: string;
  readonly format: Format;
  readonly sealedSecret: Buffer;
}

export interface SentMessage {
  /** Null: there was no complete answer. */
  readonly status: number | null;
  /** The beginning of an answer that does not accept it, or why there is none. */
  readonly error: string | null;
  readonly ms: number;
}

@Injectable()
export class WebhookSender {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'open'>,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'forWebhooks'>,
    @Inject(Mailer) private readonly mailer: Pick<Mailer, 'send'>,
  ) {}

  async send(message: WebhookMessage): Promise<SentMessage> {
    const startedAt = performance.now();
    const sent = await this.post(message);
    return { ...sent, ms: Math.round(performance.now() - startedAt) };
  }

  private async post(webhook: WebhookMessage) {
    const { id, message, url, format, webhookId, sealedSecret } = webhook;
    const now = this.clock.now();
    const policy = this.addresses.forWebhooks();
    const end = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const { headers: own, body } = bodyOf(message, format);
      if (format === 'mail') return await this.mail(webhook, { headers: own, body }, now);
      const signer = new Signer(this.secrets.open(sealedSecret, secretLocation(webhookId)));
      const headers = {
        ...own,
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Fleetgate',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signer.sign(id, now, body),
      };
      const forbids = (address: string, port: number) => isForbiddenAddress(address, port, policy);
      const { status, text } = await postWebhook(new URL(url), headers, body, forbids, end);
      return { status, error: isAccepted(status) ? null : storableText(withoutHidden(text, webhook), ERROR_LENGTH) };
    } catch (error) {
      const said = end.aborted ? TOO_LATE : saidBy(error);
      return { status: null, error: withoutHidden(said, webhook).slice(0, ERROR_LENGTH) };
    }
  }

  private async mail({ id, url }: WebhookMessage, mail: MessageBody, at: Date) {
    const { status, error } = await this.mailer.send(id, url, mail, at);
    return { status, error: error && storableText(error, ERROR_LENGTH) };
  }
}

/** An error after several addresses has no message, only a code. */
function saidBy(error: unknown): string {
  if (!isNativeError(error)) return 'unknown';
  return error.message || String((error as NodeJS.ErrnoException).code);
}
