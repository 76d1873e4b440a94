import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A heartbeat writes each running job again and again. Without an index of its lease, and with room on its page, that touches
 * no index. None is missed: a lease is compared with `clock_timestamp()`, which no index can answer, and the running jobs
 * are found by `job_is_alone_on_its_device`.
 */
export class LeaseUpdates1763766840000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      drop index job_lease_idx;
      alter table job set (fillfactor = 70);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job reset (fillfactor);
      create index job_lease_idx on job (lease_until) where phase in ('dispatched', 'running');
    `);
  }
}
