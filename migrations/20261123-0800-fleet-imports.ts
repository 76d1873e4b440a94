import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Imports that go on without their sender. */
export class FleetImports1763884800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
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
    await db.query('drop table fleet_import');
  }
}
