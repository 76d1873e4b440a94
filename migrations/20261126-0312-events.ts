import { type QueryRunner } from 'typeorm';

/**
 * Events: what happened, for streams and webhooks. The database makes them from the rows themselves, so that nothing can be
 * committed without its event, and no event can be of something that was rolled back.
 */
export class Events1795662720000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table event (
        tx        xid8        not null default pg_current_xact_id(),
        id        bigint      not null generated always as identity,
        at        timestamptz not null default clock_timestamp(),
        type      text        not null constraint event_type_is_noun_verb check (type ~ '^[a-z]+(\\.[a-z_]+)+$'),
        subject   text        not null,
        device_id uuid,
        data      jsonb       not null default '{}',
        constraint event_pkey primary key (tx, id)
      );
      comment on table event is
        'What happened, in an order that readers can follow: by transaction, of which only those are read that no older one can come after.';
      create index event_age_idx on event (at);
    `);
    await db.query(WEBHOOKS);
    await db.query(TRIGGERS);
    await db.query(OTHER_TRIGGERS);
  }
}

const WEBHOOKS = `
      create table webhook (
        id              uuid        not null constraint webhook_pkey primary key,
        name            text        not null constraint webhook_name_is_short check (length(name) between 1 and 120),
        url             text        not null,
        types           text[]      not null,
        sealed_secret   bytea       not null,
        enabled         boolean     not null default true,
        quarantined_at  timestamptz,
        seen_tx         xid8        not null default pg_current_xact_id(),
        seen_id         bigint      not null default 0,
        operator_id     uuid        constraint webhook_was_made_by_an_operator references operator (id) on delete cascade,
        created_by      text,
        created_by_name text        not null,
        created_at      timestamptz not null,
        version         integer     not null default 1
      );
      comment on table webhook is 'Where events are sent to. seen_* is how far they have been turned into deliveries.';
      comment on column webhook.created_by is 'The key or session of who changed it last; null: from before this was kept.';
      comment on column webhook.quarantined_at is 'When it was stopped, because it took its processes down.';
      create unique index webhook_name_is_unique on webhook (lower(name));
      select fleetgate_sealed('webhook', 'sealed_secret');

      create table webhook_delivery (
        id         uuid        not null constraint webhook_delivery_pkey primary key default gen_random_uuid(),
        webhook_id uuid        not null constraint webhook_delivery_is_of_a_webhook references webhook (id) on delete cascade,
        event_tx   xid8        not null,
        event_id   bigint      not null,
        type       text        not null,
        message    jsonb       not null,
        state      text        not null default 'waiting'
          constraint webhook_delivery_state_is_known check (state in ('waiting', 'delivered', 'failed')),
        attempts   integer     not null default 0,
        due_at     timestamptz not null,
        status     integer,
        error      text,
        ms         integer,
        created_at timestamptz not null,
        ended_at   timestamptz,
        constraint webhook_delivery_is_once_for_an_event unique (webhook_id, event_tx, event_id)
      );
      comment on table webhook_delivery is 'One event for one webhook: what was sent, how often it was tried, what came back.';
      create index webhook_delivery_due_idx  on webhook_delivery (due_at) where state = 'waiting';
      create index webhook_delivery_list_idx on webhook_delivery (webhook_id, created_at desc, id desc);
      create index webhook_delivery_age_idx  on webhook_delivery (created_at);
    `;

const TRIGGERS = `
      create function event_of_job() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('job.started', 'job:' || new.id, new.device_id, jsonb_build_object('kind', new.kind, 'startedBy', new.started_by_name));
        elsif old.phase <> 'ended' and new.phase = 'ended' then
          insert into event (type, subject, device_id, data)
          values ('job.ended', 'job:' || new.id, new.device_id,
                  jsonb_build_object('kind', new.kind, 'outcome', new.outcome, 'code', new.failure ->> 'code'));
        end if;
        return null;
      end $$;
      create trigger job_makes_events after insert or update of phase on job for each row execute function event_of_job();

      create function event_of_rollout() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('rollout.' || new.state, 'rollout:' || new.id,
                  jsonb_build_object('name', new.name, 'kind', new.kind, 'state', new.state, 'why', new.pause_sentence));
        end if;
        return null;
      end $$;
      create trigger rollout_makes_events after insert or update of state on rollout for each row execute function event_of_rollout();

      create function event_of_wave() returns trigger language plpgsql as $$
      begin
        if old.state <> new.state then
          insert into event (type, subject, data)
          values ('rollout.wave_' || new.state, 'rollout:' || new.rollout_id, jsonb_build_object('wave', new.ordinal, 'state', new.state));
        end if;
        return null;
      end $$;
      create trigger rollout_wave_makes_events after update of state on rollout_wave for each row execute function event_of_wave();

      create function event_of_device() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('device.registered', 'device:' || new.id, new.id, jsonb_build_object('name', new.name));
        elsif tg_op = 'DELETE' then
          insert into event (type, subject, data)
          values ('device.removed', 'device:' || old.id, jsonb_build_object('name', old.name));
        else
          if old.state <> new.state then
            insert into event (type, subject, device_id, data)
            values ('device.' || new.state, 'device:' || new.id, new.id,
                    jsonb_build_object('name', new.name, 'before', old.state, 'reason', new.state_reason));
          end if;
          if old.firmware is distinct from new.firmware then
            insert into event (type, subject, device_id, data)
            values ('device.firmware_changed', 'device:' || new.id, new.id,
                    jsonb_build_object('name', new.name, 'before', old.firmware, 'after', new.firmware));
          end if;
        end if;
        return null;
      end $$;
      create trigger device_makes_events after insert or delete or update of state, firmware on device
        for each row execute function event_of_device();

      -- Both devices get an event. It names no other device: its reader may not see that one.
      create function event_of_conflict() returns trigger language plpgsql as $$
      declare
        one record;
      begin
        for one in
          select device.id, device.name, claim.field, claim.value
            from (values ('mac', old.claimed_mac, new.claimed_mac), ('serial', old.claimed_serial, new.claimed_serial))
                   as claim (field, before, value)
            join device on device.id = new.id
                        or (claim.field = 'mac' and device.mac = claim.value)
                        or (claim.field = 'serial' and device.serial = claim.value)
           where claim.value is not null and claim.value is distinct from claim.before
        loop
          insert into event (type, subject, device_id, data)
          values ('device.identity_conflict', 'device:' || one.id, one.id,
                  jsonb_build_object('name', one.name, 'field', one.field, 'value', one.value));
        end loop;
        return null;
      end $$;
      create trigger device_makes_event_of_conflict after update of claimed_mac, claimed_serial on device for each row
        when (old.claimed_mac is distinct from new.claimed_mac or old.claimed_serial is distinct from new.claimed_serial)
        execute function event_of_conflict();

      create function event_of_quarantined_job() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, device_id, data)
        values ('job.quarantined', 'job:' || new.id, new.device_id,
                jsonb_build_object('kind', new.kind, 'outcome', new.outcome, 'why', new.failure ->> 'message'));
        return null;
      end $$;
      create trigger job_makes_event_of_quarantine after update of phase on job for each row
        when (old.phase <> 'ended' and new.phase = 'ended' and new.failure ->> 'code' = 'quarantined')
        execute function event_of_quarantined_job();

      create function event_of_quarantine() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, data)
        values (tg_argv[0] || '.quarantined', tg_table_name || ':' || new.id, jsonb_build_object('name', new.name));
        return null;
      end $$;
      create trigger backup_policy_makes_event_of_quarantine after update of quarantined_at on backup_policy for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('backup');
      create trigger schedule_makes_event_of_quarantine after update of quarantined_at on schedule for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('schedule');
      create trigger webhook_makes_event_of_quarantine after update of quarantined_at on webhook for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('webhook');
      create trigger rollout_makes_event_of_quarantine after update of pause_cause on rollout for each row
        when (new.pause_cause = 'quarantined' and old.pause_cause is distinct from 'quarantined')
        execute function event_of_quarantine('rollout');
    `;

/* The data name no device: readers of locks and approvals may not see all devices. */
const OTHER_TRIGGERS = `
      create function event_of_lock() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, data)
          values ('lock.set', 'lock:' || new.id, jsonb_build_object('kind', new.kind, 'by', new.created_by_name));
        elsif old.lifted_at is null and new.lifted_at is not null then
          insert into event (type, subject, data)
          values ('lock.lifted', 'lock:' || new.id, jsonb_build_object('kind', new.kind));
        end if;
        return null;
      end $$;
      create trigger lock_makes_events after insert or update of lifted_at on lock for each row execute function event_of_lock();

      create function event_of_approval() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('approval.' || new.state, 'approval:' || new.id,
                  jsonb_build_object('action', new.action, 'requestedBy', new.requested_by_name, 'decidedBy', new.decided_by_name));
        end if;
        return null;
      end $$;
      create trigger approval_makes_events after insert or update of state on approval
        for each row execute function event_of_approval();

      create function event_of_artifact() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('artifact.stored', 'artifact:' || new.id, new.device_id, jsonb_build_object('kind', new.kind, 'name', new.name));
        else
          insert into event (type, subject, device_id, data)
          values ('artifact.removed', 'artifact:' || old.id, old.device_id, jsonb_build_object('kind', old.kind, 'name', old.name));
        end if;
        return null;
      end $$;
      create trigger artifact_makes_events after insert or delete on artifact for each row execute function event_of_artifact();

      create function event_of_checkpoint() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, data)
        values ('audit.checkpoint', 'checkpoint:' || new.size, jsonb_build_object('size', new.size));
        return null;
      end $$;
      create trigger audit_checkpoint_makes_events after insert on audit_checkpoint
        for each row execute function event_of_checkpoint();

      create function event_of_warning() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, data) values ('system.warning', 'warning:' || new.code, jsonb_build_object('code', new.code));
        return null;
      end $$;
      create trigger system_warning_makes_events after insert on system_warning for each row execute function event_of_warning();
    `;
