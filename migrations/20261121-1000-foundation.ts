import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Rights of the application's role, and the keys that seal stored secrets. */
export class Foundation1763719200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- What later migrations create is the application's to use; the audit takes rights away again.
      alter default privileges in schema public grant select, insert, update, delete on tables to fleetgate_app;
      alter default privileges in schema public grant usage, select on sequences to fleetgate_app;

      create table data_key (
        id          uuid        not null constraint data_key_pkey primary key,
        root_key_id text        not null,
        wrapped     bytea       not null,
        created_at  timestamptz not null default now()
      );
      comment on table data_key is 'Keys that seal secrets, each wrapped by the root key whose id stands beside it.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table data_key');
  }
}
