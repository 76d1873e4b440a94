import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Secrets that jobs send to devices or bring from them: the job's row names them, and holds none. */
export class SealedValues1763748000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table sealed_value (
        id              uuid        not null constraint sealed_value_pkey primary key,
        label           text        not null,
        sealed_content  bytea       not null,
        device_id       uuid        constraint sealed_value_belongs_to_a_device references device (id) on delete cascade,
        job_id          uuid,
        name            text,
        created_by      text        not null,
        created_by_name text        not null,
        created_at      timestamptz not null,
        expires_at      timestamptz not null,
        constraint sealed_value_of_a_job_has_a_name check ((job_id is null) = (name is null)),
        constraint sealed_value_once_per_job_and_name unique (job_id, name)
      );
      comment on table sealed_value is 'A password or key that a job uses or made. Jobs name it by id; it is opened into a request to a device, or for an operator who may, with an audit entry.';
      comment on column sealed_value.job_id is 'The job that made it; null for one that an operator gave.';
      create index sealed_value_list_idx    on sealed_value (created_at desc, id desc);
      create index sealed_value_expires_idx on sealed_value (expires_at);
      create index sealed_value_device_idx  on sealed_value (device_id) where device_id is not null;
      select fleetgate_sealed('sealed_value', 'sealed_content');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table sealed_value');
  }
}
