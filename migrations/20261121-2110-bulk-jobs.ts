import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Jobs of rollouts leave a share of the slots to those that people start one by one. */
export class BulkJobs1763759400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job add column is_bulk boolean not null default false;
      comment on column job.is_bulk is 'One of many of a rollout: it never takes the slots that are reserved for people.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column is_bulk');
  }
}
