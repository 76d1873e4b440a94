import { type QueryRunner } from 'typeorm';

/**
 * The keys that seal stored secrets, and how they are replaced. A sealed column is a `bytea` named `sealed_…`; its
 * migration calls `select fleetgate_sealed('<table>', '<column>')`.
 */
export class Secrets1795662120000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table data_key (
        id          uuid        not null constraint data_key_pkey primary key,
        root_key_id text        not null,
        wrapped     bytea       not null,
        purpose     text        not null default 'seal'
          constraint data_key_purpose_is_known check (purpose in ('seal', 'fingerprint')),
        active      boolean     not null default false,
        created_at  timestamptz not null default now()
      );
      comment on table data_key is 'Keys that seal secrets, each wrapped by the root key whose id stands beside it.';
      comment on column data_key.active is 'The one that seals; the others open what was sealed before.';
      comment on column data_key.purpose is 'The key of fingerprints outlives the others: fingerprints in the audit stay comparable.';
      create unique index data_key_one_is_active on data_key (active) where active;
      select fleetgate_notify_changes('data_key', 'data_key', 'id');

      create table secret_holder (
        id         uuid        not null constraint secret_holder_pkey primary key,
        knows      uuid[]      not null,
        seals_with uuid,
        root_keys  text[]      not null,
        seen_at    timestamptz not null
      );
      comment on table secret_holder is
        'Processes that hold keys, and which: no key is used before all that live know it. By the clock of the database.';

      create table key_rotation (
        id          uuid        not null constraint key_rotation_pkey primary key,
        what        text        not null
          constraint key_rotation_what_is_known check (what in ('root_key', 'data_key')),
        phase       text        not null
          constraint key_rotation_phase_is_known
            check (phase in ('announced', 'switched', 'resealing', 'retiring', 'finished', 'blocked')),
        key_id      uuid,
        done        integer     not null default 0,
        unreadable  jsonb       not null default '[]',
        started_by  text        not null,
        started_by_name text    not null,
        started_at  timestamptz not null,
        switched_at timestamptz,
        ended_at    timestamptz,
        constraint key_rotation_of_data_keys_names_one check ((what = 'data_key') = (key_id is not null)),
        constraint key_rotation_ended_has_a_time check ((phase in ('finished', 'blocked')) = (ended_at is not null))
      );
      comment on table key_rotation is 'Replacements of keys, under way and past; a process that dies in one leaves it to the next.';
      create unique index key_rotation_is_alone on key_rotation ((true)) where ended_at is null;

      create function fleetgate_key_of(sealed bytea) returns uuid
        language sql immutable parallel safe
        return case when length(sealed) > 17 and get_byte(sealed, 0) = 1
                    then encode(substring(sealed from 2 for 16), 'hex')::uuid end;
      comment on function fleetgate_key_of is 'The data key that a sealed value names in its head.';

      create function fleetgate_sealed(of_table text, sealed_column text) returns void language plpgsql as $body$
      begin
        execute format(
          'alter table %1$I add column %3$I uuid generated always as (fleetgate_key_of(%2$I)) stored
             constraint %4$I references data_key (id)',
          of_table, sealed_column, sealed_column || '_key', of_table || '_' || sealed_column || '_keeps_its_key_alive');
        execute format('create index %1$I on %2$I (%3$I)',
          of_table || '_' || sealed_column || '_key_idx', of_table, sealed_column || '_key');
      end
      $body$;
      comment on function fleetgate_sealed is
        'For migrations: from now on no data key goes while a value of this column is sealed with it. Also to be named in platform/secrets/sealed-columns.ts.';
      revoke execute on function fleetgate_sealed from public;
    `);
  }
}
