import { type QueryRunner } from 'typeorm';

/** Backups that are made again and again, what is in them, and how long they are kept. */
export class Backups1795662600000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table backup_policy (
        id              uuid        not null constraint backup_policy_pkey primary key,
        name            text        not null,
        selector        text        not null,
        cron            text,
        every_seconds   integer,
        time_zone       text        not null,
        keep_count      integer     not null constraint backup_policy_keeps_one check (keep_count >= 1),
        keep_days       integer     constraint backup_policy_keeps_a_day check (keep_days >= 1),
        only_changes    boolean     not null,
        passphrase      uuid,
        enabled         boolean     not null,
        quarantined_at  timestamptz,
        next_run_at     timestamptz,
        last_run_at     timestamptz,
        last_started    integer,
        last_error      text,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid,
        created_at      timestamptz not null,
        version         integer     not null,
        constraint backup_policy_has_one_rhythm check ((cron is null) <> (every_seconds is null)),
        constraint backup_policy_runs_when_enabled check (enabled = (next_run_at is not null))
      );
      comment on table backup_policy is 'Of which devices a backup is made when, and how long it is kept. Its jobs act in the name of who made or last replaced it.';
      comment on column backup_policy.passphrase is 'The sealed value that backups are encrypted with. No foreign key: it outlives the policy, as its backups do.';
      comment on column backup_policy.quarantined_at is 'When it was stopped, because it took its processes down.';
      create unique index backup_policy_name_is_unique on backup_policy (lower(name));
      create index backup_policy_due_idx on backup_policy (next_run_at) where enabled;

      create table backup_content (
        artifact_id uuid        not null constraint backup_content_pkey primary key
          constraint backup_content_belongs_to_an_artifact references artifact (id) on delete cascade,
        looked_at   timestamptz not null,
        sha256      text        constraint backup_content_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
        files       jsonb       not null,
        failure     text,
        constraint backup_content_is_known_or_why_not check ((sha256 is null) = (failure is not null))
      );
      comment on table backup_content is 'That a stored backup can be unpacked, and what is in it: names, sizes and keyed digests of its files.';
      comment on column backup_content.sha256 is 'Of names and bytes of all files: the archive itself differs each time, by the dates in it.';

      create table backup_account (
        id              uuid  not null constraint backup_account_pkey primary key,
        artifact_id     uuid  not null constraint backup_account_belongs_to_a_backup references artifact (id) on delete cascade,
        purpose         text  not null,
        username        text  not null,
        sealed_password bytea not null,
        constraint backup_account_once_per_purpose unique (artifact_id, purpose)
      );
      comment on table backup_account is 'The passwords of the gateway on a device at the time of a backup: a restore brings them back.';
      select fleetgate_sealed('backup_account', 'sealed_password');
    `);
  }
}
