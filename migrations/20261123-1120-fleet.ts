import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What is about the fleet as a whole: selectors with a name, certificates on devices, imports without a waiting sender. */
export class Fleet1795435200000 implements MigrationInterface {
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
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table fleet_import, device_certificate, saved_selector');
  }
}
