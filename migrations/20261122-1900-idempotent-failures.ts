import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A request that ended in an error may have been carried out all the same: its key says so, and is not good again. */
export class IdempotentFailures1763838000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table idempotency_key add column failure text;
      comment on column idempotency_key.failure is
        'The code of the error that its request ended in, where it is not certain that nothing was changed.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table idempotency_key drop column failure');
  }
}
