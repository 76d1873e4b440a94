import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The dispatcher walks along due jobs, people's first, instead of sorting all of them. */
export class DispatchOrder1763764200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      drop index job_due_idx;
      create index job_due_idx       on job (is_bulk, wake_at, id) where phase = 'queued';
      create index job_unclaimed_idx on job (owner) where phase = 'dispatched';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop index job_unclaimed_idx, job_due_idx;
      create index job_due_idx on job (wake_at) where phase = 'queued';
    `);
  }
}
