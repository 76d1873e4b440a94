import { type QueryRunner } from 'typeorm';

/** Alerts: conditions over the fleet as rules, and the devices that meet them. */
export class Alerts1795785000000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(RULES);
    await db.query(ALERTS);
    await db.query(EVENTS);
  }
}

const RULES = `
      create table alert_rule (
        id                  uuid        not null constraint alert_rule_pkey primary key,
        name                text        not null constraint alert_rule_name_is_short check (length(name) between 1 and 120),
        selector            text        not null,
        for_seconds         integer     not null constraint alert_rule_for_is_bounded check (for_seconds between 0 and 604800),
        clear_after_seconds integer     not null
          constraint alert_rule_clear_after_is_bounded check (clear_after_seconds between 0 and 604800),
        clear_selector      text,
        severity            text        not null
          constraint alert_rule_severity_is_known check (severity in ('info', 'warning', 'critical')),
        note                text        not null default '',
        enabled             boolean     not null,
        last_error          text,
        judged_at           timestamptz,
        created_by          text        not null,
        created_by_name     text        not null,
        operator_id         uuid,
        created_at          timestamptz not null,
        version             integer     not null
      );
      comment on table alert_rule is 'Which devices need attention. It sees the devices that its author may see, at each pass.';
      comment on column alert_rule.for_seconds is 'A device that matches for so long has an open alert.';
      comment on column alert_rule.clear_selector is 'What a device that no longer matches must meet, too, before its alert closes; null: nothing.';
      comment on column alert_rule.judged_at is 'The last pass. After a break the times of its alerts begin again.';
      create unique index alert_rule_name_is_unique on alert_rule (lower(name));
    `;

const ALERTS = `
      create table alert (
        id                   uuid        not null constraint alert_pkey primary key default gen_random_uuid(),
        rule_id              uuid        not null
          constraint alert_is_of_a_rule references alert_rule (id) on delete cascade,
        device_id            uuid        not null constraint alert_is_of_a_device references device (id) on delete cascade,
        state                text        not null
          constraint alert_state_is_known check (state in ('pending', 'open', 'closed')),
        matched_at           timestamptz not null,
        opened_at            timestamptz,
        cleared_at           timestamptz,
        closed_at            timestamptz,
        acknowledged_by_name text,
        acknowledged_at      timestamptz,
        acknowledgement      text,
        constraint alert_opened_when_it_is_open check (state = 'pending' or opened_at is not null),
        constraint alert_closed_when_it_is_closed check ((state = 'closed') = (closed_at is not null)),
        constraint alert_acknowledged_with_a_name check ((acknowledged_at is null) = (acknowledged_by_name is null))
      );
      comment on table alert is 'A device that meets a rule, or met it.';
      comment on column alert.cleared_at is 'Since when the device does not meet an open rule any more; null while it does.';
      create unique index alert_is_open_once on alert (rule_id, device_id) where state <> 'closed';
      create index alert_device_idx on alert (device_id, opened_at);
      create index alert_closed_idx on alert (closed_at) where state = 'closed';
    `;

const EVENTS = `
      create function event_of_alert() returns trigger language plpgsql as $$
      declare
        happened text := case when new.state = 'closed' then 'alert.closed'
                              when new.acknowledged_at is distinct from old.acknowledged_at then 'alert.acknowledged'
                              else 'alert.opened' end;
        rule alert_rule;
      begin
        select * into rule from alert_rule where id = new.rule_id;
        insert into event (type, subject, device_id, data)
        values (happened, 'alert:' || new.id, new.device_id,
                jsonb_build_object('rule', rule.name, 'severity', rule.severity,
                                   'name', (select name from device where id = new.device_id)));
        return null;
      end $$;
      create trigger alert_makes_event_when_it_opens after insert on alert for each row
        when (new.state = 'open') execute function event_of_alert();
      create trigger alert_makes_event_of_change after update on alert for each row
        when ((new.state <> old.state and new.state <> 'pending')
              or new.acknowledged_at is distinct from old.acknowledged_at)
        execute function event_of_alert();
    `;
