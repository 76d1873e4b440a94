import { type QueryRunner } from 'typeorm';

/** What is about the fleet as a whole: selectors with a name, certificates on devices, imports without a waiting sender, searches of networks. */
export class Fleet1795662840000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table saved_selector (
        name        text        not null constraint saved_selector_pkey primary key
          constraint saved_selector_name_is_a_word check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
        selector    text        not null,
        description text        not null default '',
        updated_at  timestamptz not null,
        version     integer     not null default 1
      );
      comment on table saved_selector is 'A selector under a name; @name in another selector stands for it.';

      create table device_certificate (
        device_id   uuid        not null
          constraint device_certificate_belongs_to_a_device references device (id) on delete cascade,
        fullname    text        not null,
        type        text        not null,
        subject     text        not null,
        issuer      text        not null,
        not_before  timestamptz not null,
        not_after   timestamptz not null,
        fingerprint text        not null
          constraint device_certificate_fingerprint_is_sha256 check (fingerprint ~ '^[0-9a-f]{64}$'),
        seen_at     timestamptz not null,
        job_id      uuid        not null,
        constraint device_certificate_pkey primary key (device_id, fullname)
      );
      comment on table device_certificate is 'Certificates on devices, as jobs last saw them; without keys.';
      create index device_certificate_expiry_idx on device_certificate (not_after, device_id, fullname);

      create table fleet_import (
        id              uuid        not null constraint fleet_import_pkey primary key,
        state           text        not null constraint fleet_import_state_is_known
          check (state in ('running', 'succeeded', 'failed', 'cancelled')),
        dry_run         boolean     not null,
        lines           integer,
        done_lines      integer     not null default 0,
        result          jsonb,
        failure         jsonb,
        operator_id     uuid        not null,
        created_by      text        not null,
        created_by_name text        not null,
        created_at      timestamptz not null,
        alive_at        timestamptz not null,
        cancel_asked_at timestamptz,
        ended_at        timestamptz,
        constraint fleet_import_ends_once check ((state = 'running') = (ended_at is null)),
        constraint fleet_import_says_its_end check ((state = 'succeeded') = (result is not null))
      );
      comment on table fleet_import is 'Imports that go on without their sender. The file itself is in the memory of one process and nowhere else; success is written in the transaction of the import.';
      comment on column fleet_import.alive_at is 'When its process last said that it works on it, by the clock of the database.';
      create index fleet_import_ended_idx on fleet_import (ended_at);
    `);
    await db.query(DISCOVERY);
    await db.query(DISCOVERY_FINDS);
    await db.query(DISCOVERY_EVENTS);
  }
}

/* Searches of networks for devices, what they found, and each login that they tried. */
const DISCOVERY = `
      create table discovery (
        id              uuid        not null constraint discovery_pkey primary key,
        state           text        not null default 'queued' constraint discovery_state_is_known
          check (state in ('queued', 'running', 'finished', 'cancelled', 'failed')),
        networks        text[]      not null,
        ports           integer[]   not null,
        addresses       integer     not null
          constraint discovery_is_small check (addresses between 1 and 4096),
        per_second      integer     not null,
        at_once         integer     not null,
        searched        integer     not null default 0
          constraint discovery_searches_its_addresses check (searched between 0 and addresses),
        epoch           integer     not null default 0,
        failure         text,
        operator_id     uuid        not null,
        created_by      text        not null,
        created_by_name text        not null,
        created_at      timestamptz not null,
        started_at      timestamptz,
        ended_at        timestamptz,
        constraint discovery_ends_once check ((state in ('queued', 'running')) = (ended_at is null)),
        constraint discovery_says_why_it_failed check ((state = 'failed') = (failure is not null))
      );
      comment on table discovery is 'A search of networks for devices.';
      comment on column discovery.searched is 'The first so many addresses are done: a process that goes on with the run starts there.';
      comment on column discovery.epoch is 'Counts the processes that worked on it; writes of an earlier one are refused.';
      create index discovery_open_idx on discovery (created_at) where state in ('queued', 'running');
      create index discovery_list_idx on discovery (created_at, id);

      create table discovery_credentials (
        id              uuid    not null constraint discovery_credentials_pkey primary key,
        discovery_id    uuid    not null
          constraint discovery_credentials_belong_to_a_run references discovery (id) on delete cascade,
        ordinal         integer not null,
        username        text    not null,
        sealed_password bytea,
        constraint discovery_credentials_have_an_order unique (discovery_id, ordinal)
      );
      comment on table discovery_credentials is
        'Credentials that a search may try. The password goes at the end of the run, unless a device accepted it.';
      select fleetgate_sealed('discovery_credentials', 'sealed_password');
    `;

const DISCOVERY_FINDS = `
      create table discovery_find (
        id              uuid        not null constraint discovery_find_pkey primary key,
        discovery_id    uuid        not null
          constraint discovery_find_belongs_to_a_run references discovery (id) on delete cascade,
        position        integer     not null,
        address         text        not null,
        port            integer     not null,
        base_url        text        not null,
        kind            text        not null
          constraint discovery_find_kind_is_known check (kind in ('device', 'other')),
        reason          text,
        pin             text,
        certificate     jsonb,
        profile         text,
        name            text,
        model           text,
        identifier      text,
        api_version     text,
        login           text
          constraint discovery_find_login_is_known check (login in ('granted', 'refused', 'unclear')),
        credentials_id  uuid,
        serial          text,
        mac             text,
        firmware        text,
        known_device_id uuid
          constraint discovery_find_forgets_removed_devices references device (id) on delete set null,
        known_by        text
          constraint discovery_find_known_by_is_known check (known_by in ('baseUrl', 'serial', 'mac')),
        seen_at         timestamptz not null,
        constraint discovery_find_has_a_place unique (discovery_id, position)
      );
      comment on table discovery_find is 'What answered at an address. All texts are claims of what answered, except after a login.';
      comment on column discovery_find.credentials_id is 'The credentials that it accepted.';
      create index discovery_find_known_idx on discovery_find (known_device_id);

      create table discovery_login (
        credentials_id uuid        not null
          constraint discovery_login_uses_credentials_of_its_run references discovery_credentials (id) on delete cascade,
        address        text        not null,
        identity       text        not null,
        outcome        text        not null default 'unclear'
          constraint discovery_login_outcome_is_known check (outcome in ('granted', 'refused', 'unclear')),
        at             timestamptz not null,
        constraint discovery_login_pkey primary key (credentials_id, address),
        constraint discovery_login_is_one_for_a_device unique (credentials_id, identity)
      );
      comment on table discovery_login is
        'Each login of a search, from before it is sent. A row forbids another login with these credentials on this device.';
      comment on column discovery_login.identity is 'What the device calls itself, or its address: a device with two addresses is one.';
    `;

const DISCOVERY_EVENTS = `
      create function event_of_discovery() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, data)
          values ('discovery.started', 'discovery:' || new.id,
                  jsonb_build_object('addresses', new.addresses, 'startedBy', new.created_by_name));
        elsif old.ended_at is null and new.ended_at is not null then
          insert into event (type, subject, data)
          values ('discovery.ended', 'discovery:' || new.id,
                  jsonb_build_object('state', new.state, 'devices', (
                    select count(*) from discovery_find where discovery_id = new.id and kind = 'device')));
        end if;
        return null;
      end $$;
      create trigger discovery_makes_events after insert or update of ended_at on discovery
        for each row execute function event_of_discovery();
    `;
