import { type QueryRunner } from 'typeorm';

/** Watches: which paths of which devices are read on a rhythm, what they had, and how it changed. */
export class Watches1795834200000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(WATCHES);
    await db.query(OBSERVED);
    await db.query(EVENTS);
  }
}

const WATCHES = `
      create table watch (
        id              uuid        not null constraint watch_pkey primary key,
        name            text        not null
          constraint watch_name_is_part_of_an_address check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
        selector        text        not null,
        paths           text[]      not null
          constraint watch_has_a_bulk_request_of_paths check (cardinality(paths) between 1 and 50),
        every_seconds   integer     not null
          constraint watch_shares_a_session_or_has_its_own
            check (every_seconds between 60 and 240 or every_seconds between 900 and 86400),
        enabled         boolean     not null,
        last_error      text,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid,
        created_at      timestamptz not null,
        version         integer     not null
      );
      comment on table watch is 'Which paths of which devices are read, and how often. It reads in the name of who made or last replaced it.';
      comment on column watch.last_error is 'Why it names no devices now: a code of the error table.';
      create unique index watch_name_is_unique on watch (name);

      create table watched_device (
        watch_id         uuid        not null constraint watched_device_is_of_a_watch references watch (id) on delete cascade,
        device_id        uuid        not null constraint watched_device_is_a_device references device (id) on delete cascade,
        interval_seconds integer     not null,
        due_at           timestamptz not null,
        asked_at         timestamptz,
        read_at          timestamptz,
        bytes            integer,
        refused_paths    text[]      not null default '{}',
        last_error       text,
        constraint watched_device_pkey primary key (watch_id, device_id)
      ) with (fillfactor = 70);
      comment on table watched_device is 'The devices of the watches, as a sweep finds them. A pass that finds nothing new changes one row of this table and no other.';
      comment on column watched_device.interval_seconds is 'That of the watch, or longer where the budget of the device would not last.';
      comment on column watched_device.asked_at is 'When a person asked for a pass that has not been made; also of a disabled watch.';
      comment on column watched_device.read_at is 'The last pass that got an answer: when each path of the watch was read, or refused by the device.';
      comment on column watched_device.bytes is 'Of that pass, with handshake and headers, without a login.';
      comment on column watched_device.refused_paths is 'Paths that the author may not read on the device: that pass says nothing of them.';
      comment on column watched_device.last_error is 'Why the last pass got no answer: a code of the error table.';
      create index watched_device_due_idx on watched_device (due_at);
      create index watched_device_device_idx on watched_device (device_id);
    `;

const OBSERVED = `
      create table observed_body (
        digest      text        not null constraint observed_body_pkey primary key
          constraint observed_body_digest_is_sha256 check (digest ~ '^[0-9a-f]{64}$'),
        id          uuid        not null constraint observed_body_id_is_unique unique,
        bytes       integer     not null constraint observed_body_is_bounded check (bytes <= 65536),
        sealed_body bytea       not null,
        created_at  timestamptz not null
      );
      comment on table observed_body is 'Different bodies of devices, each once, without their secrets and sealed all the same: what the rules of redaction do not know is not in clear here.';
      comment on column observed_body.digest is 'Of the body without its secrets, in canonical form.';
      select fleetgate_sealed('observed_body', 'sealed_body');

      create table observed (
        device_id  uuid        not null constraint observed_is_of_a_device references device (id) on delete cascade,
        path       text        not null,
        digest     text        constraint observed_body_is_stored references observed_body (digest),
        read_at    timestamptz not null,
        changed_at timestamptz,
        error      text,
        constraint observed_pkey primary key (device_id, path),
        constraint observed_has_a_body_or_an_error check (digest is not null or error is not null)
      );
      comment on table observed is 'What each device had at each path when a watch last read it.';
      comment on column observed.digest is 'The last body that was read, also while there is an error.';
      comment on column observed.read_at is 'When the row was written; watched_device.read_at may be later, and found the same.';
      comment on column observed.changed_at is 'When a pass last found another body; null: not since the first one.';
      comment on column observed.error is 'Why the last pass has no body: a code of the error table.';
      create index observed_path_idx on observed (path, digest);
      create index observed_body_idx on observed (digest);
      create index observed_changed_idx on observed (changed_at) where changed_at is not null;
      create index observed_failed_idx on observed (device_id) where error is not null;

      create table observed_change (
        id             uuid        not null constraint observed_change_pkey primary key default gen_random_uuid(),
        device_id      uuid        not null
          constraint observed_change_is_of_a_device references device (id) on delete cascade,
        path           text        not null,
        from_digest    text        not null constraint observed_change_has_a_body_before references observed_body (digest),
        to_digest      text        not null constraint observed_change_has_a_body_after references observed_body (digest),
        since          timestamptz not null,
        at             timestamptz not null,
        options        text[]      not null,
        audit_entry_id uuid
      );
      comment on table observed_change is 'A pass that found another body at a path than the pass before it.';
      comment on column observed_change.since is 'The pass before: the change was made between it and "at".';
      comment on column observed_change.options is 'Names of what differs, never values.';
      comment on column observed_change.audit_entry_id is 'A write of the gateway between the two passes; null: none, so the change is not by us.';
      create index observed_change_device_idx on observed_change (device_id, at desc, id desc);
      create index observed_change_time_idx on observed_change (at);
      create index observed_change_from_idx on observed_change (from_digest);
      create index observed_change_to_idx on observed_change (to_digest);
    `;

const EVENTS = `
      create function event_of_observed_changes() returns trigger language plpgsql as $$
      declare
        changed record;
      begin
        for changed in
          select device.id, device.name,
                 (select jsonb_agg(to_jsonb(one)) from (
                    select path, options from fresh where fresh.device_id = device.id order by path) one) as changes
            from device where device.id in (select device_id from fresh) order by device.id
        loop
          insert into event (type, subject, device_id, data)
          values ('observed.changed', 'device:' || changed.id, changed.id,
                  jsonb_build_object('name', changed.name, 'changes', changed.changes));
        end loop;
        return null;
      end $$;
      create trigger observed_change_makes_one_event_for_each_device after insert on observed_change
        referencing new table as fresh for each statement execute function event_of_observed_changes();
    `;
