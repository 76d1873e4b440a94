import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Selectors that were given a name. */
export class SavedSelectors1763724600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table saved_selector (
        name        text        not null constraint saved_selector_pkey primary key
          constraint saved_selector_name_is_a_word check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
        selector    text        not null,
        description text        not null default '',
        updated_at  timestamptz not null
      );
      comment on table saved_selector is 'A selector under a name; @name in another selector stands for it.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table saved_selector');
  }
}
