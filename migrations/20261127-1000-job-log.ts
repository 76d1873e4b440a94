import { type QueryRunner } from 'typeorm';

/** The lines of a job's log are named so, as in the API; an event is what `event` has. */
export class JobLog1795773600000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job_event rename to job_log_line;
      alter table job_log_line rename constraint job_event_belongs_to_a_job to job_log_line_belongs_to_a_job;
      alter table job_log_line rename constraint job_event_pkey to job_log_line_pkey;
    `);
  }
}
