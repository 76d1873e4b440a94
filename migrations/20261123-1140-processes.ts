import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The processes of the installation with their warnings, and events for what people watch besides jobs and devices. */
export class Processes1795436400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table gateway_process (
        id         uuid        not null constraint gateway_process_pkey primary key,
        role       text        not null
          constraint gateway_process_role_is_known check (role in ('all', 'api', 'worker')),
        host       text        not null,
        version    text        not null,
        node       text        not null,
        checks     jsonb       not null,
        sweepers   jsonb       not null,
        warnings   text[]      not null,
        started_at timestamptz not null,
        alive_at   timestamptz not null
      );
      comment on table gateway_process is 'The processes that run, as each describes itself. One that died leaves its row for a day.';

      create table system_warning (
        code  text        not null constraint system_warning_pkey primary key,
        since timestamptz not null
      );
      comment on table system_warning is 'What running processes warn of now.';

      create table root_key_copy (
        root_key_id text        not null constraint root_key_copy_pkey primary key,
        copied_at   timestamptz not null
      );
      comment on table root_key_copy is 'Root keys of which a backup of the installation made a copy. It holds no key.';
    `);
    await db.query(TRIGGERS);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop function event_of_warning cascade; drop function event_of_checkpoint cascade;
      drop function event_of_artifact cascade; drop function event_of_approval cascade; drop function event_of_lock cascade;
      drop table root_key_copy, system_warning, gateway_process;
    `);
  }
}

/* The data name no device: readers of locks and approvals may not see all devices. */
const TRIGGERS = `
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
