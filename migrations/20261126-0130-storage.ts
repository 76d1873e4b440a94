import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Sizes over a week, so that the gateway can say what grows and when a disk is full. */
export class Storage1795656600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table storage_sample (
        name     text        not null,
        taken_at timestamptz not null,
        bytes    bigint      not null constraint storage_sample_is_no_debt check (bytes >= 0),
        constraint storage_sample_pkey primary key (name, taken_at)
      );
      comment on table storage_sample is 'How large tables and folders were, once an hour. Rows of more than eight days are removed.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table storage_sample');
  }
}
