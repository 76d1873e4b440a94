import { randomBytes, randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type AuditAction } from '../audit/entries/audit-actions.js';
import { type Principal } from '../auth/access/access.js';
import { seesAllDevices } from '../auth/access/shown-selector.js';
import { Authors } from '../auth/keys/authors.service.js';
import { narrows } from '../auth/rights/key-scope.js';
import { type Rights } from '../auth/rights/rights.js';
import { readsAllPaths } from './event-filter.js';
import { RightsService } from '../auth/rights/rights.service.js';
import { type Actor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { lockVersion } from '../http/edits.js';
import { mapConstraintErrors } from '../database/constraints.js';
import { requireRoom } from '../database/row-limits.js';
import { authorFields } from '../recurring/recurring.js';
import { AppError } from '../platform/errors.js';
import { newestRows } from '../http/newest-first.js';
import { type Page } from '../http/page.js';
import { Secrets } from '../secrets/secrets.js';
import { AddressRules } from '../devices/registry/address-rules.js';
import { isForbiddenHost } from '../devices/registry/base-url.js';
import { EventLog } from './event-log.js';
import { type DeliveryLine, type ListDeliveriesQuery, type WebhookInput, type WebhookTest } from './events.contract.js';
import { meantAddress, shownAddress } from './webhook-address.js';
import { MailAddresses } from './mail-addresses.service.js';
import { Mailer } from './mailer.js';
import { isAccepted, sourceOf, testMessage } from './webhook-message.js';
import { WebhookSender } from './webhook-sender.js';
import { secretLocation, Webhook } from './webhook.entity.js';

/** Bytes of a webhook's secret; Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32;

const DELIVERY_COLUMNS = `
  id, type, state, attempts, due_at as "dueAt", status, error, ms, created_at as "createdAt", ended_at as "endedAt"`;

type Reader = Pick<Principal, 'rights' | 'operatorId' | 'scope'>;

/** The message of a delivery as a caller may read it, like `shownTo` for the event. */
const messageFor = (rights: Rights): string => {
  const cases = [
    ...(rights.scope('device.read') === null
      ? []
      : [
          `when type like 'rollout.%' and message #> '{data,why}' is not null then jsonb_set(message, '{data,why}', 'null')`,
        ]),
    ...(readsAllPaths(rights)
      ? []
      : [`when type = 'observed.changed' then jsonb_set(message, '{data,changes}', '[]')`]),
  ];
  return cases.length === 0 ? 'message' : `case ${cases.join(' ')} else message end`;
};

const CONSTRAINTS = { webhook_name_is_unique: ['webhook_exists'] } as const;

/** Webhooks and the log of their deliveries. Each change is one transaction with its audit entry. */
@Injectable()
export class WebhooksService {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'seal'>,
    @Inject(RightsService) private readonly rights: RightsService,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(EventLog) private readonly events: EventLog,
    @Inject(AddressRules) private readonly addresses: Pick<AddressRules, 'forWebhooks'>,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(MailAddresses) private readonly mails: MailAddresses,
    @Inject(Mailer) private readonly mailer: Pick<Mailer, 'requireSetUp'>,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>,
  ) {}

  /**
   * Creates a webhook; it gets the events from now on that its author may see.
   * @returns the webhook and its secret, which is shown only now
   * @throws AppError `webhook_exists`, `webhook_address_refused`, `mail_not_set_up`, `too_many_saved`, `rights_not_held` for a narrowed key
   */
  async create(input: WebhookInput, actor: Principal): Promise<Webhook & { readonly secret: string }> {
    await this.rights.requireUnnarrowed(actor);
    this.requireAllowed(input);
    const id = randomUUID();
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const made = {
      id,
      ...input,
      sealedSecret: this.secrets.seal(secret, secretLocation(id)),
      quarantinedAt: null,
      ...authorFields(actor),
      createdAt: this.clock.now(),
    };
    const saved = await mapConstraintErrors(CONSTRAINTS, () =>
      this.db.transaction(async (tx) => {
        await requireRoom(tx, 'webhook');
        const webhook = await tx.save(Webhook, made);
        await this.recordChange(tx, 'webhook.create', webhook, actor, factsOf(webhook));
        return webhook;
      }),
    );
    await this.sendFirstCode(saved, actor);
    return { ...saved, secret };
  }

  /**
   * Changes a webhook; from now on it gets the events that the actor may see. Open deliveries with the rights of another
   * person are dropped, and what it was told: they were not meant for the new receiver. An address that comes back as it is shown does not
   * change.
   * @throws AppError `webhook_not_found`, `webhook_exists`, `version_changed`, `webhook_address_refused`, `mail_not_set_up`,
   *   `rights_not_held` for a narrowed key
   */
  async replace(webhookId: string, input: WebhookInput, ifMatch: number | null, actor: Principal): Promise<Webhook> {
    await this.rights.requireUnnarrowed(actor);
    const saved = await mapConstraintErrors(CONSTRAINTS, () =>
      this.db.transaction(async (tx) => {
        const found = await lockVersion(tx, Webhook, { id: webhookId }, ifMatch, 'webhook_not_found');
        const before = factsOf(found);
        const url = meantAddress(input, found);
        // By mail, another address is another receiver, whose owner must confirm it first.
        if (found.operatorId !== actor.operatorId || (input.format === 'mail' && url !== found.url)) {
          for (const table of ['webhook_delivery', 'alert_told', 'rule_told'])
            await tx.query(`delete from ${table} where webhook_id = $1`, [webhookId]);
        }
        // What waited for a program has no form for a chat.
        if (input.format !== 'cloudevents')
          await tx.query('delete from webhook_delivery where webhook_id = $1 and event_tx is not null', [webhookId]);
        if (url !== found.url) this.requireAllowed({ ...input, url });
        const changed = await tx.save(
          Webhook,
          Object.assign(found, input, { url, quarantinedAt: null }, authorFields(actor)),
        );
        await this.recordChange(tx, 'webhook.change', changed, actor, { before, after: factsOf(changed) });
        return changed;
      }),
    );
    await this.sendFirstCode(saved, actor);
    return saved;
  }

  /** Where it cannot be sent now, `confirmedAt` says that it is missing, and a person asks for it again. */
  private async sendFirstCode(webhook: Webhook, actor: Principal): Promise<void> {
    if (webhook.format !== 'mail') return;
    await this.mails.sendCode(webhook, actor).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
    });
  }

  /** As each delivery does, as far as the text of an address tells. Names are judged by their addresses, at a delivery. */
  private requireAllowed({ url, format }: Pick<WebhookInput, 'url' | 'format'>): void {
    if (format === 'mail') return this.mailer.requireSetUp();
    const reason = isForbiddenHost(new URL(url), this.addresses.forWebhooks());
    if (reason !== null) throw new AppError('webhook_address_refused', { host: new URL(url).host, reason });
  }

  /** @throws AppError `webhook_not_found`, `version_changed` */
  async remove(webhookId: string, ifMatch: number | null, actor: Actor): Promise<void> {
    await this.db.transaction(async (tx) => {
      const found = await lockVersion(tx, Webhook, { id: webhookId }, ifMatch, 'webhook_not_found');
      await tx.delete(Webhook, { id: webhookId });
      await this.recordChange(tx, 'webhook.remove', found, actor);
    });
  }

  /** @throws AppError `webhook_not_found` */
  async get(webhookId: string, tx: EntityManager = this.db.manager): Promise<Webhook> {
    const webhook = await tx.findOneBy(Webhook, { id: webhookId });
    if (!webhook) throw new AppError('webhook_not_found');
    return webhook;
  }

  list(): Promise<Webhook[]> {
    return this.db.manager.find(Webhook, { order: { name: 'asc' } });
  }

  /** Those of the given webhooks whose author is disabled or revoked: they send nothing. */
  orphansOf(webhooks: readonly Webhook[]): Promise<ReadonlySet<Webhook>> {
    return this.authors.orphansOf(webhooks);
  }

  /** Newest first, without those out of sight. @throws AppError `webhook_not_found`, `invalid_cursor` */
  async deliveries(webhookId: string, query: ListDeliveriesQuery, reader: Reader): Promise<Page<DeliveryLine>> {
    await this.get(webhookId);
    const values: unknown[] = [webhookId, query.state ?? null];
    const sql = `select ${DELIVERY_COLUMNS}, ${messageFor(reader.rights)} as message from webhook_delivery
      where webhook_id = $1 and ($2::text is null or state = $2) and ${this.inSight(reader, values)}`;
    const time = ['created_at', (delivery: DeliveryLine) => delivery.createdAt] as const;
    return newestRows<DeliveryLine>(this.db, `deliveries ${webhookId}`, query, { sql, values, time });
  }

  /** Sends a delivery again. @throws AppError `webhook_delivery_not_found`, also for one out of sight */
  async replay(webhookId: string, deliveryId: string, actor: Principal): Promise<DeliveryLine> {
    return this.db.transaction(async (tx) => {
      const webhook = await this.get(webhookId, tx);
      const values: unknown[] = [deliveryId, webhookId, this.clock.now()];
      const seen = this.inSight(actor, values);
      const [rows] = await tx.query<[DeliveryLine[], number]>(
        `update webhook_delivery set state = 'waiting', attempts = 0, due_at = $3, ended_at = null,
                message = ${messageFor(actor.rights)}
          where id = $1 and webhook_id = $2 and ${seen} returning ${DELIVERY_COLUMNS}, message`,
        values,
      );
      const delivery = rows[0];
      if (!delivery) throw new AppError('webhook_delivery_not_found');
      await this.recordChange(tx, 'webhook.replay', webhook, actor, { deliveryId });
      return delivery;
    });
  }

  /** Sends a test message now, once, also of a webhook that is disabled. @throws AppError `webhook_not_found`, `mail_not_confirmed` */
  async test(webhookId: string, actor: Principal): Promise<WebhookTest> {
    const webhook = await this.get(webhookId);
    await this.mails.requireConfirmed(webhook);
    const { sealedSecret } = await this.db.manager.findOneOrFail(Webhook, {
      select: { sealedSecret: true },
      where: { id: webhookId },
    });
    const { name, url, format } = webhook;
    const entryId = await this.audit.open({
      actor,
      action: 'webhook.test',
      subject: `webhook:${webhookId}`,
      facts: { name },
    });
    const id = randomUUID();
    const message = testMessage(id, webhook, this.clock.now(), sourceOf(this.config));
    const sent = await this.sender.send({ id, message, webhookId, url, format, sealedSecret });
    const accepted = sent.status !== null && isAccepted(sent.status);
    await this.audit.close(entryId, accepted ? 'succeeded' : 'failed', { status: sent.status });
    return { accepted, ...sent, message: { ...message } };
  }

  /**
   * Deliveries whose event the caller may see, as a condition; `values` gets its parameters. A notification has numbers of all
   * devices of the webhook's author, so only the author sees it, and who sees all devices.
   */
  private inSight({ rights, operatorId, scope }: Reader, values: unknown[]): string {
    const condition = this.events.condition({ types: [], rights, operatorId }, values);
    const isAuthor = () =>
      `exists (select from webhook where id = webhook_id
                and operator_id = $${values.push(scope && narrows(scope) ? null : operatorId)}::uuid)`;
    const seesNotifications = seesAllDevices({ rights }) ? 'true' : isAuthor();
    return `((event_tx is null and ${seesNotifications})
      or exists (select from event left join device on device.id = event.device_id
                  where event.tx = event_tx and event.id = event_id and ${condition}))`;
  }

  private recordChange(
    tx: EntityManager,
    action: Extract<AuditAction, `webhook.${string}`>,
    { id, name }: Webhook,
    actor: Actor,
    facts: object = {},
  ) {
    return this.audit.record(tx, { actor, action, subject: `webhook:${id}`, facts: { name, ...facts } });
  }
}

function factsOf(webhook: Webhook) {
  const { name, format, types, enabled } = webhook;
  return { name, url: shownAddress(webhook), format, types, enabled };
}
