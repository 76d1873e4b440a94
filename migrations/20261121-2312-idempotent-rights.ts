import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A kept answer is given again to whoever may still what they might then. */
export class IdempotentRights1763766720000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table idempotency_key add column rights_mark bytea;
      comment on column idempotency_key.rights_mark is
        'A digest of the rules by which its sender was judged; its answer is given again to the same rules alone.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table idempotency_key drop column rights_mark');
  }
}
