import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Artifacts that operators give, what they are for, which jobs use them, and how much room they take. */
export class Artifacts1763744400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table artifact
        drop constraint artifact_job_has_one,
        drop constraint artifact_kind_is_known,
        add column version         text,
        add column models          text[] not null default '{}',
        add column hardware        text[] not null default '{}',
        add column minimum_version text,
        add column signed_by       text,
        add column signature       text,
        add column created_by      text,
        add column created_by_name text,
        add constraint artifact_kind_is_known
          check (kind in ('firmware', 'backup', 'certificate', 'configuration', 'file')) not valid,
        add constraint artifact_signature_says_whose check ((signed_by is null) = (signature is null)) not valid;
      alter table artifact validate constraint artifact_kind_is_known;
      alter table artifact validate constraint artifact_signature_says_whose;
      create index artifact_job_idx on artifact (job_id) where job_id is not null;

      -- No foreign key to the artifact: the history of a job outlives the bytes that it used.
      create table artifact_use (
        artifact_id uuid not null,
        job_id      uuid not null constraint artifact_use_belongs_to_a_job references job (id) on delete cascade,
        sha256      text not null constraint artifact_use_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
        constraint artifact_use_pkey primary key (artifact_id, job_id)
      );
      comment on table artifact_use is 'Which jobs use an artifact, and its digest at the moment of their start.';
      create index artifact_use_job_idx on artifact_use (job_id);

      -- Room is reserved before bytes are taken; a reservation whose process died ends by itself.
      create table artifact_reservation (
        id         uuid        not null constraint artifact_reservation_pkey primary key,
        bytes      bigint      not null constraint artifact_reservation_is_not_negative check (bytes >= 0),
        expires_at timestamptz not null
      );
      comment on table artifact_reservation is 'Room in the artifact store that is promised to bytes under way.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop table artifact_use, artifact_reservation;
      drop index artifact_job_idx;
      alter table artifact
        drop column version, drop column models, drop column hardware, drop column minimum_version,
        drop column signed_by, drop column signature, drop column created_by, drop column created_by_name,
        drop constraint artifact_kind_is_known,
        add constraint artifact_kind_is_known check (kind in ('firmware', 'backup', 'certificate')) not valid,
        add constraint artifact_job_has_one unique (job_id)
    `);
  }
}
