import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What somebody gave is for jobs in their name alone: others who may start jobs must not send it to a device of theirs. */
export class SealedValueOperator1763765400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table sealed_value
        add column operator_id uuid constraint sealed_value_was_given_by_an_operator references operator (id) on delete cascade;
      update sealed_value value set operator_id = shown.operator_id
        from (select 'key:' || id as subject, operator_id from api_key
              union all select 'session:' || id, operator_id from operator_session) as shown
       where value.job_id is null and value.created_by = shown.subject;
      comment on column sealed_value.operator_id is 'Whose jobs may use it alone, for one that an operator gave.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table sealed_value drop column operator_id');
  }
}
