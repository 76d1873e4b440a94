import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A job goes on only as long as whoever started it may: for that it must be known who that is. */
export class JobOperator1763735400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job
        add column operator_id uuid constraint job_was_started_by_an_operator references operator (id) on delete set null;
      update job set operator_id = api_key.operator_id from api_key where job.started_by = 'key:' || api_key.id;
      comment on column job.operator_id is 'In whose name it acts; null for jobs of the gateway itself.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table job drop column operator_id');
  }
}
