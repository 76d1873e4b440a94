import { type QueryRunner } from 'typeorm';

/** Notifications: what each receiver was told about the alerts of each rule, and devices about which all are quiet. */
export class Notifications1795785600000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(RECEIVERS);
    await db.query(TOLD);
    await db.query(MUTES);
  }
}

const RECEIVERS = `
      alter table webhook
        add column format text not null default 'cloudevents'
          constraint webhook_format_is_known
            check (format in ('cloudevents', 'slack', 'teams', 'discord', 'telegram', 'ntfy')),
        add column doubt_told boolean not null default false,
        add column doubt_told_at timestamptz,
        add constraint webhook_of_a_chat_gets_notifications_only check (format = 'cloudevents' or types <@ '{rule.notified}');
      comment on column webhook.format is 'The form of its messages; all but cloudevents get notifications only.';
      comment on column webhook.doubt_told is 'Whether it was told that the gateway doubts its own connection, and not yet that this is over.';

      alter table webhook_delivery
        alter column event_tx drop not null,
        alter column event_id drop not null,
        add constraint webhook_delivery_is_of_an_event_or_a_notification
          check ((event_tx is null) = (type = 'rule.notified') and (event_id is null) = (event_tx is null));
      comment on table webhook_delivery is
        'One event or notification for one webhook: what was sent, how often it was tried, what came back.';
    `;

const TOLD = `
      create table alert_told (
        webhook_id uuid not null constraint alert_told_is_of_a_webhook references webhook (id) on delete cascade,
        rule_id    uuid not null constraint alert_told_is_of_a_rule references alert_rule (id) on delete cascade,
        device_id  uuid not null constraint alert_told_is_of_a_device references device (id) on delete cascade,
        constraint alert_told_pkey primary key (webhook_id, rule_id, device_id)
      );
      comment on table alert_told is
        'Devices that a receiver knows as having an open alert of a rule. The difference to the alerts is its next notification.';
      create index alert_told_rule_idx on alert_told (rule_id);
      create index alert_told_device_idx on alert_told (device_id);

      create table rule_told (
        webhook_id uuid        not null constraint rule_told_is_of_a_webhook references webhook (id) on delete cascade,
        rule_id    uuid        not null constraint rule_told_is_of_a_rule references alert_rule (id) on delete cascade,
        at         timestamptz not null,
        constraint rule_told_pkey primary key (webhook_id, rule_id)
      );
      comment on table rule_told is 'When the last notification of a rule was made for a receiver.';
      create index rule_told_rule_idx on rule_told (rule_id);
    `;

const MUTES = `
      create table mute (
        id              uuid        not null constraint mute_pkey primary key default gen_random_uuid(),
        selector        text        not null,
        rule_id         uuid        constraint mute_is_of_a_rule references alert_rule (id) on delete cascade,
        until           timestamptz not null,
        reason          text        not null constraint mute_reason_is_short check (length(reason) between 1 and 500),
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid        constraint mute_was_made_by_an_operator references operator (id) on delete cascade,
        created_at      timestamptz not null
      );
      comment on table mute is 'Devices about which no receiver is notified for a time, as far as the author of the mute may see them.';
      comment on column mute.rule_id is 'Null: about all rules.';
    `;
