import { type QueryRunner } from 'typeorm';

/** Rollouts: one change for many devices, wave by wave; and the schedules that start them. */
export class Rollouts1795662660000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table schedule (
        id             uuid        not null constraint schedule_pkey primary key,
        name           text        not null constraint schedule_name_is_short check (length(name) between 1 and 120),
        cron           text,
        every_seconds  integer     constraint schedule_pace_is_sane check (every_seconds between 60 and 31622400),
        time_zone      text        not null,
        template       jsonb       not null,
        missed         text        not null default 'once'
          constraint schedule_missed_is_known check (missed in ('once', 'skip')),
        enabled        boolean     not null default true,
        quarantined_at timestamptz,
        next_run_at    timestamptz,
        last_run_at    timestamptz,
        last_rollout_id uuid,
        last_error     text,
        created_by      text       not null,
        created_by_name text       not null,
        operator_id     uuid constraint schedule_was_made_by_an_operator references operator (id) on delete set null,
        created_at     timestamptz not null,
        version        integer     not null default 1,
        constraint schedule_has_one_rhythm check ((cron is null) <> (every_seconds is null)),
        constraint schedule_enabled_has_a_next check (not enabled or next_run_at is not null)
      );
      comment on table schedule is 'Starts a rollout from a template, again and again.';
      comment on column schedule.quarantined_at is 'When it was stopped, because it took its processes down.';
      create unique index schedule_name_is_unique on schedule (lower(name));
      create index schedule_due_idx on schedule (next_run_at) where enabled;

      create table rollout (
        id              uuid        not null constraint rollout_pkey primary key,
        name            text        not null constraint rollout_name_is_short check (length(name) between 1 and 120),
        kind            text        not null,
        spec            jsonb       not null,
        selector        text        not null,
        policy          jsonb       not null,
        state           text        not null
          constraint rollout_state_is_known check (state in
            ('draft', 'awaiting_approval', 'scheduled', 'running', 'paused', 'aborting', 'finished', 'aborted')),
        pause_cause     text,
        pause_sentence  text,
        plan_digest     text        not null,
        bytes_per_start bigint      not null default 0,
        acknowledged_finished integer not null default 0,
        acknowledged_failed   integer not null default 0,
        starts_at       timestamptz,
        created_by      text        not null,
        created_by_name text        not null,
        operator_id     uuid constraint rollout_was_made_by_an_operator references operator (id) on delete set null,
        reason          text,
        request_id      text,
        approved_by     text,
        approved_by_name text,
        created_at      timestamptz not null,
        started_at      timestamptz,
        ended_at        timestamptz,
        followed_at     timestamptz,
        schedule_id     uuid constraint rollout_was_started_by_a_schedule references schedule (id) on delete set null,
        rolls_back      uuid constraint rollout_rolls_back_a_rollout references rollout (id) on delete set null,
        version         integer     not null default 1,
        constraint rollout_pause_has_a_cause check ((state = 'paused') = (pause_cause is not null)),
        constraint rollout_ended_has_a_time  check ((state in ('finished', 'aborted')) = (ended_at is not null))
      );
      comment on table rollout is 'One intent for many devices; what is done to each is a job.';
      create index rollout_list_idx on rollout (created_at desc, id desc);
      create index rollout_open_idx on rollout (id) where state in ('scheduled', 'running', 'paused', 'aborting');

      create table rollout_wave (
        rollout_id uuid    not null constraint rollout_wave_belongs_to_a_rollout references rollout (id) on delete cascade,
        ordinal    integer not null,
        state      text    not null default 'waiting'
          constraint rollout_wave_state_is_known check (state in ('waiting', 'running', 'soaking', 'passed', 'failed')),
        promoted   boolean not null default false,
        soak_until timestamptz,
        started_at timestamptz,
        ended_at   timestamptz,
        constraint rollout_wave_pkey primary key (rollout_id, ordinal)
      );
      comment on table rollout_wave is 'A part of a rollout''s devices that goes together.';

      create table rollout_target (
        rollout_id    uuid    not null constraint rollout_target_belongs_to_a_rollout references rollout (id) on delete cascade,
        device_id     uuid    not null,
        device_name   text    not null,
        wave          integer not null,
        position      integer not null,
        state         text    not null
          constraint rollout_target_state_is_known check (state in
            ('waiting', 'offline', 'queued', 'running', 'succeeded', 'failed', 'unknown', 'skipped', 'cancelled')),
        reason        text,
        wake_at       timestamptz not null,
        tries         integer not null default 0,
        offline_since timestamptz,
        offline_looks integer not null default 0,
        job_id        uuid,
        before        jsonb   not null default '{}',
        spec          jsonb,
        began_at      timestamptz,
        ended_at      timestamptz,
        checked_at    timestamptz,
        changed_at    timestamptz not null,
        constraint rollout_target_pkey primary key (rollout_id, device_id),
        constraint rollout_target_is_of_a_wave foreign key (rollout_id, wave) references rollout_wave (rollout_id, ordinal)
          on delete cascade,
        constraint rollout_target_at_work_has_a_job check (state not in ('queued', 'running') or job_id is not null)
      );
      comment on table rollout_target is 'What a rollout does with one device. Rows outlive their device.';
      comment on column rollout_target.before is 'What the device was before: for the report and for a roll-back.';
      comment on column rollout_target.spec is 'What is done to this device, where it differs from the rollout''s spec.';
      create index rollout_target_state_idx on rollout_target (rollout_id, wave, state, position);
      create index rollout_target_job_idx on rollout_target (job_id) where job_id is not null;
      create index rollout_target_open_idx on rollout_target (device_id) where state in ('waiting', 'offline', 'queued', 'running');
      create unique index rollout_target_is_alone_on_its_device on rollout_target (device_id) where state in ('queued', 'running');
    `);
  }
}
