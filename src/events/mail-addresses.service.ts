import { createHash, randomInt, randomUUID, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { type Principal } from '../auth/access/access.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { AppError } from '../platform/errors.js';
import { literal } from './literal-text.js';
import { Mailer, type SentMail } from './mailer.js';
import { isAccepted } from './webhook-message.js';
import { type Webhook } from './webhook.entity.js';

/*
 * Nobody gets mails of this gateway who has not confirmed it: a webhook by mail sends nothing before somebody entered the code
 * that was sent to its address. The address is confirmed, not the webhook, and an address gets few codes, whoever asks.
 */

const TRIES_MAX = 5;

/** An address gets one code in this time. */
const EVERY_MS = 300_000;

/** Codes of all addresses in a day. */
const A_DAY_MAX = 50;

/** A condition on table `webhook`: its receiver wants what it sends. */
export const IS_WANTED = `(webhook.format <> 'mail' or exists (
  select from mail_address where address = lower(webhook.url) and confirmed_at is not null))`;

type Addressed = Pick<Webhook, 'id' | 'name' | 'url' | 'format'>;

@Injectable()
export class MailAddresses {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Mailer) private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>,
  ) {}

  /** When the owners of their addresses confirmed them, by the id of the webhook. */
  async confirmedAt(webhooks: readonly Addressed[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.db.query<{ id: string; at: Date }[]>(
      `select webhook.id, confirmed_at as at from webhook join mail_address on address = lower(url)
        where webhook.id = any($1::uuid[]) and confirmed_at is not null`,
      [webhooks.filter(({ format }) => format === 'mail').map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  }

  /** @throws AppError `mail_not_confirmed` */
  async requireConfirmed(webhook: Addressed): Promise<void> {
    if (webhook.format === 'mail' && !(await this.confirmedAt([webhook])).has(webhook.id))
      throw new AppError('mail_not_confirmed');
  }

  /**
   * Sends a new code to the address; the one before counts no more.
   * @throws AppError `mail_not_set_up`, `webhook_needs_no_code`, `mail_code_too_early`
   */
  async sendCode(webhook: Addressed, actor: Principal): Promise<SentMail & { readonly accepted: boolean }> {
    await this.requireWaiting(webhook);
    this.mailer.requireSetUp();
    const { id, name, url } = webhook;
    const now = this.clock.now();
    const code = String(randomInt(100_000_000)).padStart(8, '0');
    const [kept] = await this.db.query<unknown[]>(
      `insert into mail_address as known (address, code_digest, code_sent_at) select lower($1), $2::bytea, $3::timestamptz
         where (select count(*) from mail_address where code_sent_at > $5) < $6
       on conflict (address) do update set code_digest = excluded.code_digest, code_sent_at = excluded.code_sent_at, tries = 0
         where known.confirmed_at is null and known.code_sent_at <= $4
       returning address`,
      [url, digestOf(url, code), now, new Date(now.getTime() - EVERY_MS), dayAgo(now), A_DAY_MAX],
    );
    if (!kept) throw new AppError('mail_code_too_early');
    const entryId = await this.audit.open({
      actor,
      action: 'webhook.send_code',
      subject: `webhook:${id}`,
      facts: { name, url },
    });
    const sent = await this.mailer.send(randomUUID(), url, this.codeMail(webhook, code, actor), now);
    if (sent.isUnsent)
      await this.db.query('update mail_address set code_sent_at = $2 where address = lower($1)', [url, new Date(0)]);
    const accepted = sent.status !== null && isAccepted(sent.status);
    await this.audit.close(entryId, accepted ? 'succeeded' : 'failed', { status: sent.status });
    return { accepted, ...sent };
  }

  /** @throws AppError `webhook_needs_no_code`, `mail_code_refused` */
  async confirm(webhook: Addressed, code: string, actor: Principal): Promise<void> {
    await this.requireWaiting(webhook);
    const { id, name, url } = webhook;
    const now = this.clock.now();
    // A try counts, whatever happens to this request.
    const [[row]] = await this.db.query<[{ digest: Buffer }[], number]>(
      `update mail_address set tries = tries + 1
        where address = lower($1) and code_digest is not null and tries < $2 and code_sent_at > $3
        returning code_digest as digest`,
      [url, TRIES_MAX, dayAgo(now)],
    );
    if (!row || !timingSafeEqual(row.digest, digestOf(url, code))) throw new AppError('mail_code_refused');
    await this.db.transaction(async (tx) => {
      await tx.query(
        'update mail_address set confirmed_at = $2, code_digest = null where address = lower($1) and code_digest = $3',
        [url, now, row.digest],
      );
      const subject = `webhook:${id}`;
      await this.audit.record(tx, { actor, action: 'webhook.confirm', subject, facts: { name, url } });
    });
  }

  private async requireWaiting(webhook: Addressed): Promise<void> {
    const isWaiting = webhook.format === 'mail' && (await this.confirmedAt([webhook])).size === 0;
    if (!isWaiting) throw new AppError('webhook_needs_no_code');
  }

  private codeMail({ name }: Addressed, code: string, { name: asker }: Principal) {
    const where = this.config.PUBLIC_URL === undefined ? '' : ` at ${this.config.PUBLIC_URL}`;
    const body = `${literal(asker)} asks to send notifications about alerts of routers to this address, by the webhook ${literal(name)}
of the Fleetgate${where}.

The code is ${code.slice(0, 4)} ${code.slice(4)}. It holds for a day. Give it to the person who asked, or enter it
yourself in the console under System, Webhooks.

If you do not want these mails, ignore this one: without the code nothing more is sent.
`;
    return { headers: { subject: 'Fleetgate: confirm this address' }, body };
  }
}

/** A code holds for a day. */
const dayAgo = (now: Date): Date => new Date(now.getTime() - 86_400_000);

const digestOf = (url: string, code: string): Buffer =>
  createHash('sha256').update(`${url.toLowerCase()} ${code}`).digest();
