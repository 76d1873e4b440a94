import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which version ran which migration, so that an older one can say what it would need. */
export class SchemaReleases1763877600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table schema_release (
        migration text        not null constraint schema_release_pkey primary key,
        version   text        not null,
        ran_at    timestamptz not null default now()
      );
      comment on table schema_release is
        'The version of Fleetgate that ran each migration, from this one on. An older version reads it to say what is needed.';
      revoke all on schema_release from fleetgate_app;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table schema_release');
  }
}
