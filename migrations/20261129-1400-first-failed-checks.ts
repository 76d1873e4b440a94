import { type QueryRunner } from 'typeorm';

/** Since when a device does not answer: `offline` is seen an interval of the checks later. */
export class FirstFailedChecks1795960800000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table device add column failing_since timestamptz;
      comment on column device.failing_since is 'When the first of its failed checks in a row was, while failed_checks is above 0.';
    `);
  }
}
