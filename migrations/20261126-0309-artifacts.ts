import { type QueryRunner } from 'typeorm';

/** Artifacts, what they are for, which jobs use them, and how much room they take. */
export class Artifacts1795662540000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table artifact (
        id              uuid        not null constraint artifact_pkey primary key,
        sha256          text        not null
          constraint artifact_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
        bytes           bigint      not null constraint artifact_is_not_negative check (bytes >= 0),
        kind            text        not null
          constraint artifact_kind_is_known check (kind in ('firmware', 'backup', 'certificate', 'configuration', 'file')),
        name            text        not null,
        version         text,
        models          text[]      not null default '{}',
        hardware        text[]      not null default '{}',
        minimum_version text,
        is_image        boolean,
        signed_by       text,
        signature       text,
        device_id       uuid,
        job_id          uuid,
        confirmed_at    timestamptz,
        created_by      text,
        created_by_name text,
        created_at      timestamptz not null,
        constraint artifact_signature_says_whose check ((signed_by is null) = (signature is null))
      );
      comment on table artifact is 'Bytes with a digest that a job made or needs; the bytes stand in the artifact store under their digest.';
      comment on column artifact.is_image is
        'Firmware: whether its bytes were recognised as an image when they were stored; null: not looked at.';
      comment on column artifact.confirmed_at is 'Backup: when the device was last found to have this very configuration; null: never since.';
      create index artifact_list_idx   on artifact (created_at desc, id desc);
      create index artifact_digest_idx on artifact (sha256);
      create index artifact_device_idx on artifact (device_id, created_at desc, id desc);
      create index artifact_backup_idx on artifact (device_id, created_at desc) where kind = 'backup';
      create index artifact_job_idx    on artifact (job_id) where job_id is not null;

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
}
