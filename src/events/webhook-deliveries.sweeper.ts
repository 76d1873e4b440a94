import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type HasAuthor, Authors } from '../auth/keys/authors.service.js';
import { systemActor } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { eachRow, type Sweeper } from '../platform/sweeper.js';
import { WorkMarks } from '../database/work-marks.js';
import { EventLog } from './event-log.js';
import { type EventPosition } from './event-filter.js';
import { IS_WANTED } from './mail-addresses.service.js';
import { cloudEvent, isAccepted, isUnwanted, retryAfterMs, sourceOf } from './webhook-message.js';
import { WebhookSender, type WebhookMessage } from './webhook-sender.js';
import { columnsOf } from '../database/columns-of.js';

/*
 * Turns events into deliveries, and sends them. Both are rows: a delivery is created once for an event, in the
 * transaction that advances the webhook, and is sent at least once; the receiver recognises a duplicate by its id. One
 * process sends a delivery at a time: it changes its next instant first.
 */

/** Events that become deliveries at once, and deliveries that are sent at once, shared evenly by the webhooks. */
const BATCH = 200;

/** Simultaneous deliveries of one webhook, beside any number of others. */
const SHARE_MIN = 20;

/** A webhook advances over so many without a wanted event: reading them again costs, and so does each advance. */
const IDLE_TRANSACTIONS = 1_000n;

/** A delivery of a process that died is free again after this time. */
const IN_HAND_MS = 60_000;

/** Deliveries are stored as long as their events. */
const KEPT_MS = 7 * 86_400_000;

interface WebhookRow extends HasAuthor {
  readonly id: string;
  readonly types: string[];
  readonly seen_tx: string;
  readonly seen_id: string;
}

interface DueDelivery extends WebhookMessage {
  readonly attempts: number;
}

@Injectable()
export class WebhookDeliveries implements Sweeper {
  readonly name = 'webhooks';
  readonly everyMs = 1_000;
  readonly isForWorkers = true;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(WebhookSender) private readonly sender: WebhookSender,
    @Inject(EventLog) private readonly events: EventLog,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(Audit) private readonly audit: Audit,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const enabled = await this.db.query<(HasAuthor & { readonly id: string })[]>(
      'select id, operator_id as "operatorId", created_by as "createdBy" from webhook where enabled order by id',
    );
    const orphans = await this.authors.orphansOf(enabled);
    const ids = enabled.filter((webhook) => !orphans.has(webhook)).map(({ id }) => id);
    const did = { made: 0, sent: 0 };
    const make = async (id: string) => {
      const made = await this.makeDeliveries(id);
      did.made += made;
    };
    const work = async (some: readonly string[]) => {
      try {
        await eachRow(some, make);
      } finally {
        did.sent += await this.sendDue(some);
      }
    };
    await this.marks.during('webhook', ids, work, (id) => this.quarantine(id));
    const [, removed] = await this.db.query<[unknown[], number]>(
      `delete from webhook_delivery where created_at < $1 and state <> 'waiting'`,
      [new Date(this.clock.now().getTime() - KEPT_MS)],
    );
    return { ...did, removed };
  }

  /** It crashed its processes: a person must look at it and enable it again. */
  private quarantine(id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      await tx.query('update webhook set enabled = false, quarantined_at = $2 where id = $1', [id, this.clock.now()]);
      const subject = `webhook:${id}`;
      await this.audit.record(tx, { actor: systemActor('webhooks'), action: 'webhook.quarantine', subject, facts: {} });
    });
  }

  /** Advances one webhook over the next events. @returns how many deliveries were created */
  private async makeDeliveries(webhookId: string): Promise<number> {
    return this.db.transaction(async (tx) => {
      const [webhook] = await tx.query<WebhookRow[]>(
        `select id, types, operator_id as "operatorId", created_by as "createdBy", seen_tx::text, seen_id::text from webhook
          where id = $1 and enabled for update skip locked`,
        [webhookId],
      );
      if (!webhook) return 0;
      const rights = await this.authors.rightsOf(webhook);
      if (!rights) return 0;
      const position = { tx: webhook.seen_tx, id: webhook.seen_id };
      // Read first: the next statement finds everything before it.
      const end = await this.events.end(tx);
      const filter = { types: webhook.types, rights, operatorId: webhook.operatorId };
      const events = await this.events.after(position, filter, BATCH, tx);
      const last = events.at(-1);
      if (!last) {
        if (BigInt(end.tx) - BigInt(position.tx) >= IDLE_TRANSACTIONS) await moveOn(tx, webhookId, end);
        return 0;
      }
      const now = this.clock.now();
      const source = sourceOf(this.config);
      await tx.query(
        `insert into webhook_delivery (webhook_id, event_tx, event_id, type, message, due_at, created_at)
         select $1, tx::xid8, id::bigint, type, message, $2, $2
           from unnest($3::text[], $4::text[], $5::text[], $6::jsonb[]) as item (tx, id, type, message)
         on conflict do nothing`,
        [
          webhookId,
          now,
          ...columnsOf(events, 'tx', 'id', 'type'),
          events.map((event) => JSON.stringify(cloudEvent(event, source))),
        ],
      );
      await moveOn(tx, webhookId, last);
      return events.length;
    });
  }

  /** Each webhook has its share, so that a slow receiver does not delay the others. */
  private async sendDue(webhookIds: readonly string[]): Promise<number> {
    if (webhookIds.length === 0) return 0;
    const now = this.clock.now();
    const share = Math.max(SHARE_MIN, Math.floor(BATCH / webhookIds.length));
    const [due] = await this.db.query<[DueDelivery[], number]>(
      `update webhook_delivery delivery set due_at = $2, attempts = attempts + 1
         from webhook
        where webhook.id = delivery.webhook_id and webhook.enabled and ${IS_WANTED} and delivery.id in (
          select share.id from unnest($3::uuid[]) as sender (id) cross join lateral (
            select id from webhook_delivery where state = 'waiting' and due_at <= $1 and webhook_id = sender.id
             order by due_at limit $4 for update skip locked) share)
       returning delivery.id, delivery.attempts, delivery.message, delivery.webhook_id as "webhookId", webhook.url,
                 webhook.format, webhook.sealed_secret as "sealedSecret"`,
      [now, new Date(now.getTime() + IN_HAND_MS), webhookIds, share],
    );
    // All of them, also when one fails: its error is for the log, and the others end by themselves.
    const ends = await Promise.allSettled(due.map((delivery) => this.send(delivery)));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    return due.length;
  }

  private async send(delivery: DueDelivery): Promise<void> {
    const { status, error, ms } = await this.sender.send(delivery);
    const isDone = status !== null && isAccepted(status);
    const againMs = isDone || (status !== null && isUnwanted(status)) ? null : retryAfterMs(delivery.attempts);
    const now = this.clock.now();
    await this.db.query(
      `update webhook_delivery set status = $2, error = $3, ms = $4, state = $5, due_at = $6, ended_at = $7 where id = $1`,
      [
        delivery.id,
        status,
        error,
        ms,
        isDone ? 'delivered' : againMs === null ? 'failed' : 'waiting',
        new Date(now.getTime() + (againMs ?? 0)),
        againMs === null ? now : null,
      ],
    );
    // A receiver that answers 410 wants no more of them (Standard Webhooks, operational considerations).
    if (status !== null && isUnwanted(status)) {
      await this.db.query('update webhook set enabled = false where id = $1', [delivery.webhookId]);
    }
  }
}

async function moveOn(tx: EntityManager, webhookId: string, { tx: seenTx, id }: EventPosition): Promise<void> {
  await tx.query('update webhook set seen_tx = $2::text::xid8, seen_id = $3 where id = $1', [webhookId, seenTx, id]);
}
