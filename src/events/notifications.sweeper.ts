import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource, type EntityManager } from 'typeorm';
import { type Author, Authors, type HasAuthor } from '../auth/keys/authors.service.js';
import { columnsOf } from '../database/columns-of.js';
import { SavedSelectorsService } from '../devices/saved-selectors.service.js';
import { areManyFailing } from '../devices/registry/reachability.js';
import { countFailing } from '../devices/registry/failing-devices.js';
import {
  alertsLink,
  doubtNotification,
  type KnownAlert,
  NOTIFIED,
  type Notification,
  notificationOf,
} from '../monitoring/notifications/notification.js';
import { doubtSince, mutedDevices, type MutedDevice, restartsNow } from '../monitoring/notifications/quiet-devices.js';
import { Clock } from '../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { LOG } from '../platform/log.js';
import { eachRow, type Sweeper } from '../platform/sweeper.js';
import { IS_WANTED } from './mail-addresses.service.js';
import { notificationMessage, sourceOf } from './webhook-message.js';

/*
 * Tells each receiver what changed in the alerts of each rule. A notification is a delivery of a webhook, made in the transaction
 * that stores what the receiver knows now: a crash makes none twice and forgets none. What it says is the difference between the
 * open alerts that the author of the webhook may see and those that the receiver knows.
 */

/** Between two notifications of a rule to a receiver. Changes in between are in the next one. */
const EVERY_MS = 300_000;

/** A notification waits so long for others: devices of one cause do not change at the same moment. */
const GATHER_MS = 30_000;

/**
 * A fleet that went away at once is found away, and back, by checks that take `EVERY_MS`, and is told once. So a notification that
 * only says what is back waits for `EVERY_MS`, and then until nothing has changed for this time, at most `EVERY_MS` more.
 */
const SETTLED_MS = 60_000;

/**
 * So long after a receiver was told of a doubt, one of alerts that open waits until nothing has changed, too: the receiver knows
 * already that many devices stopped to answer. Longer than the `for` of most rules.
 */
const AFTER_DOUBT_MS = 3_600_000;

interface Receiver {
  readonly id: string;
  readonly operatorId: string | null;
  readonly createdBy: string | null;
  readonly doubtTold: boolean;
  readonly doubtToldAt: Date | null;
}

interface AlertRow extends KnownAlert {
  readonly ruleId: string;
  readonly deviceId: string;
}

interface RuleRow extends Pick<Notification, 'rule' | 'severity' | 'note'> {
  readonly ruleId: string;
}

@Injectable()
export class Notifications implements Sweeper {
  readonly name = 'notifications';
  readonly everyMs = 10_000;
  readonly isForWorkers = true;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_URL'>,
    @Inject(Authors) private readonly authors: Authors,
    @Inject(SavedSelectorsService) private readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** @returns how many notifications it made */
  async sweep(): Promise<Record<string, number>> {
    const receivers = await this.db.query<(HasAuthor & { readonly id: string })[]>(
      `select id, operator_id as "operatorId", created_by as "createdBy" from webhook
        where enabled and $1 = any(types) and ${IS_WANTED} order by id`,
      [NOTIFIED],
    );
    let made = 0;
    if (receivers.length > 0) {
      const muted = await mutedDevices(this.db, this.authors, this.selectors, this.clock.now(), this.log);
      const byId = new Map(receivers.map((receiver) => [receiver.id, receiver]));
      await eachRow([...byId.keys()], async (id) => {
        await this.forgetUnseen(byId.get(id)!);
        const count = await this.db.transaction((tx) => this.notify(tx, id, muted));
        made += count;
      });
    }
    await this.db.query('delete from mute where until <= $1', [this.clock.now()]);
    return { made };
  }

  /**
   * What left the sight of the author is forgotten: an end that comes with the sight would be old news. Not in the transaction of
   * the notifications, which locks devices before the rows about them.
   */
  private async forgetUnseen({ id, ...receiver }: HasAuthor & { readonly id: string }): Promise<void> {
    const rights = await this.authors.rightsOf(receiver);
    if (!rights) return;
    const values: unknown[] = [id];
    const scope = rights.scope('device.read')?.(values, this.clock.now());
    if (scope !== undefined)
      await this.db.query(
        `delete from alert_told using device
          where alert_told.webhook_id = $1 and device.id = alert_told.device_id and (${scope}) is not true`,
        values,
      );
    if (!rights.allows({ action: 'system.read' }))
      await this.db.query('update webhook set doubt_told = false where id = $1 and doubt_told', [id]);
  }

  /** One process at a time makes notifications for a receiver. */
  private async notify(tx: EntityManager, webhookId: string, muted: readonly MutedDevice[]): Promise<number> {
    const [receiver] = await tx.query<Receiver[]>(
      `select id, operator_id as "operatorId", created_by as "createdBy", doubt_told as "doubtTold", doubt_told_at as "doubtToldAt"
         from webhook where id = $1 and enabled for no key update skip locked`,
      [webhookId],
    );
    const author = receiver && (await this.authors.find(receiver));
    if (!author?.rights.allows({ action: 'device.read' })) return 0;
    const now = this.clock.now();
    const isDoubting = (await doubtSince(tx)) !== null;
    const made = await this.tellDoubt(tx, receiver!, author, isDoubting, now);
    return isDoubting ? made : made + (await this.tellRules(tx, receiver!, author, muted, now));
  }

  /**
   * All else waits while the gateway doubts itself. The end is news only where the devices answer again. Where they do not, they
   * are believed to be away, and the alerts of them say so.
   */
  private async tellDoubt(
    tx: EntityManager,
    { id, doubtTold, doubtToldAt }: Receiver,
    { rights }: Author,
    isDoubting: boolean,
    now: Date,
  ): Promise<number> {
    const isEarly = doubtToldAt !== null && Math.abs(now.getTime() - doubtToldAt.getTime()) < EVERY_MS;
    if (isDoubting === doubtTold || isEarly || !rights.allows({ action: 'system.read' })) return 0;
    await tx.query('update webhook set doubt_told = $2, doubt_told_at = $3 where id = $1', [id, isDoubting, now]);
    if (!isDoubting && areManyFailing(await countFailing(tx, now))) return 0;
    await this.deliver(tx, id, doubtNotification(isDoubting), now);
    return 1;
  }

  private async tellRules(
    tx: EntityManager,
    receiver: Receiver,
    author: Author,
    muted: readonly MutedDevice[],
    now: Date,
  ): Promise<number> {
    const { id } = receiver;
    const mayReadRules = author.rights.allows({ action: 'monitoring.read' });
    const alerts = await dueAlerts(tx, receiver, author, muted, now);
    const rules = await tx.query<RuleRow[]>(
      `select id as "ruleId", name as rule, severity, note
         from alert_rule where id = any($1::uuid[]) order by lower(name)`,
      [[...new Set(alerts.map(({ ruleId }) => ruleId))]],
    );
    // In the order in which a removal of devices locks them, and before the rows that refer to them.
    const devices = alerts.map(({ deviceId }) => deviceId);
    await tx.query('select from device where id = any($1::uuid[]) order by id for key share', [devices]);
    for (const rule of rules) {
      const note = mayReadRules ? rule.note : '';
      const link = alertsLink(this.config.PUBLIC_URL, rule.ruleId);
      const own = alerts.filter(({ ruleId }) => ruleId === rule.ruleId);
      await this.deliver(tx, id, notificationOf({ ...rule, note, link }, own), now);
      await remember(tx, id, rule.ruleId, own, now);
    }
    return rules.length;
  }

  private async deliver(tx: EntityManager, webhookId: string, notification: Notification, now: Date): Promise<void> {
    const id = randomUUID();
    const message = notificationMessage(id, notification, now, sourceOf(this.config));
    await tx.query(
      `insert into webhook_delivery (id, webhook_id, type, message, due_at, created_at) values ($1, $2, $3, $4, $5, $5)`,
      [id, webhookId, NOTIFIED, JSON.stringify(message), now],
    );
  }
}

/**
 * The alerts of the rules that have a notification for a receiver now. What is quiet is looked up only for rules with a change. Times
 * ahead are of before the clock was set back: nothing waits for them.
 */
function dueAlerts(
  tx: EntityManager,
  { id, doubtToldAt }: Receiver,
  { rights }: Author,
  muted: readonly MutedDevice[],
  now: Date,
): Promise<AlertRow[]> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const values: unknown[] = [
    id,
    ...columnsOf(muted, 'deviceId', 'ruleId'),
    before(GATHER_MS),
    before(EVERY_MS),
    before(SETTLED_MS),
    doubtToldAt !== null && doubtToldAt > before(AFTER_DOUBT_MS),
    now,
  ];
  const scope = rights.sql('device.read', values, now);
  return tx.query(
    `with known as materialized (
            select rule_id, device_id, opened_at, alert.id is not null as is_open, told.webhook_id is not null as was_told
              from (select * from alert where state = 'open') alert
              full join (select * from alert_told where webhook_id = $1) told using (rule_id, device_id)),
          changed as (
            select rule_id from known where is_open <> was_told
            except select rule_id from rule_told where webhook_id = $1 and at > $5 and at <= $8),
          muted as (select * from unnest($2::uuid[], $3::uuid[]) as muted (device_id, rule_id)),
          seen as materialized (
            select known.*, device.name, device.site, case when is_open <> was_told then coalesce(case when opened_at <= $8 then opened_at end, back.at, '-infinity') end as at
              from known join changed using (rule_id) join device on device.id = known.device_id
              left join lateral (
                select max(closed_at) + interval '${EVERY_MS} ms' as at from alert
                 where was_told and not is_open and closed_at <= $8 and alert.rule_id = known.rule_id and alert.device_id = known.device_id) back on true
             where ${scope} and not ${restartsNow('device.id', values, now)}
               and not exists (select from muted where muted.device_id = device.id
                                and coalesce(muted.rule_id, known.rule_id) = known.rule_id)),
          due as (
            select rule_id from seen where at is not null group by rule_id
            having min(at) <= $4 and (min(at) <= $5 or max(at) <= $6 or (bool_or(is_open) and not $7)))
     select rule_id as "ruleId", device_id as "deviceId", is_open as "isOpen", was_told as "wasTold", name, site
       from seen join due using (rule_id) order by name, device_id`,
    values,
  );
}

/** The receiver knows what is open now. */
async function remember(
  tx: EntityManager,
  webhookId: string,
  ruleId: string,
  alerts: readonly AlertRow[],
  now: Date,
): Promise<void> {
  const changed = alerts.filter(({ isOpen, wasTold }) => isOpen !== wasTold);
  const devices = (isOpen: boolean) =>
    changed.filter((alert) => alert.isOpen === isOpen).map(({ deviceId }) => deviceId);
  await tx.query(
    'insert into alert_told (webhook_id, rule_id, device_id) select $1, $2, id from device where id = any($3::uuid[])',
    [webhookId, ruleId, devices(true)],
  );
  await tx.query('delete from alert_told where webhook_id = $1 and rule_id = $2 and device_id = any($3::uuid[])', [
    webhookId,
    ruleId,
    devices(false),
  ]);
  await tx.query(
    `insert into rule_told (webhook_id, rule_id, at) values ($1, $2, $3)
     on conflict (webhook_id, rule_id) do update set at = excluded.at`,
    [webhookId, ruleId, now],
  );
}
