import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Long jobs: the rows are the truth and the schedule, the queue only hands them out. */
export class Jobs1763721600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table job (
        id           uuid        not null constraint job_pkey primary key,
        device_id    uuid        not null constraint job_is_for_a_device references device (id) on delete cascade,
        kind         text        not null,
        spec         jsonb       not null default '{}',
        phase        text        not null
          constraint job_phase_is_known check (phase in ('queued', 'dispatched', 'running', 'ended')),
        outcome      text
          constraint job_outcome_is_known
            check (outcome in ('succeeded', 'failed', 'not_executed', 'unknown', 'cancelled')),
        cursor       jsonb       not null,
        wake_at      timestamptz not null,
        wait_reason  text,
        deadline_at  timestamptz not null,
        attempts     integer     not null default 0,
        epoch        integer     not null default 0,
        lease_until  timestamptz,
        owner        text,
        intent       jsonb,
        cancel_asked_at timestamptz,
        result       jsonb,
        failure      jsonb,
        started_by   text        not null,
        started_by_name text     not null,
        reason       text,
        request_id   text,
        created_at   timestamptz not null,
        started_at   timestamptz,
        ended_at     timestamptz,
        constraint job_counts_up            check (attempts >= 0 and epoch >= 0),
        constraint job_ended_has_an_outcome check ((phase = 'ended') = (outcome is not null)),
        constraint job_ended_has_a_time     check ((phase = 'ended') = (ended_at is not null)),
        constraint job_lease_has_an_owner   check ((phase in ('dispatched', 'running')) = (lease_until is not null))
      );
      comment on table job is 'One long operation on one device; the queue only hands these rows out.';
      comment on column job.epoch is 'Rises with every dispatch and every lost lease; who holds an older one may not write.';
      comment on column job.intent is 'The latest effect on the device: what was probed before, whether it was sent, what the probe after said.';
      comment on column job.failure is 'Why it ended without success; while it waits, what went wrong last.';
      comment on column job.started_at is 'When a worker first took it up. From then until its end the device is its own.';
      create index job_due_idx      on job (wake_at) where phase = 'queued';
      create index job_deadline_idx on job (deadline_at) where phase = 'queued';
      create index job_open_idx     on job (device_id, created_at, id) where phase <> 'ended';
      create index job_lease_idx  on job (lease_until) where phase in ('dispatched', 'running');
      create index job_list_idx   on job (created_at desc, id desc);
      create index job_device_idx on job (device_id, created_at desc, id desc);
      create unique index job_is_alone_on_its_device on job (device_id) where phase in ('dispatched', 'running');

      -- A device can go when its jobs have ended; an error of this name becomes \`device_in_use\`.
      create function job_keeps_its_device() returns trigger language plpgsql as $$
      begin
        if exists (select from job where device_id = old.id and phase <> 'ended') then
          raise exception using errcode = '23503', constraint = 'job_keeps_its_device',
            message = 'the device has a job that has not ended';
        end if;
        return old;
      end $$;
      create trigger job_keeps_its_device before delete on device
        for each row execute function job_keeps_its_device();

      create table job_event (
        job_id   uuid        not null constraint job_event_belongs_to_a_job references job (id) on delete cascade,
        ordinal  integer     not null,
        at       timestamptz not null,
        step     text        not null,
        text     text        not null,
        facts    jsonb       not null default '{}',
        constraint job_event_pkey primary key (job_id, ordinal)
      );
      comment on table job_event is 'What a job did, step by step, in words for people.';

      create table artifact (
        id         uuid        not null constraint artifact_pkey primary key,
        sha256     text        not null
          constraint artifact_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
        bytes      bigint      not null constraint artifact_is_not_negative check (bytes >= 0),
        kind       text        not null
          constraint artifact_kind_is_known check (kind in ('firmware', 'backup', 'certificate')),
        name       text        not null,
        device_id  uuid,
        job_id     uuid constraint artifact_job_has_one unique,
        created_at timestamptz not null
      );
      comment on table artifact is 'Bytes with a digest that a job made or needs; the bytes stand in the artifact store under their digest.';
      create index artifact_list_idx   on artifact (created_at desc, id desc);
      create index artifact_digest_idx on artifact (sha256);
      create index artifact_device_idx on artifact (device_id, created_at desc, id desc);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table artifact, job_event, job; drop function job_keeps_its_device cascade');
  }
}
