import { type QueryRunner } from 'typeorm';

/** Long jobs: the rows are the truth and the schedule, the queue only hands them out. */
export class Jobs1795662480000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(JOB);
    await db.query(SEALED_VALUE);
    await db.query(WORK_MARK);
  }
}

const JOB = `
      create table job (
        id              uuid        not null constraint job_pkey primary key,
        device_id       uuid        not null constraint job_is_for_a_device references device (id) on delete cascade,
        kind            text        not null,
        spec            jsonb       not null default '{}',
        is_bulk         boolean     not null default false,
        phase           text        not null
          constraint job_phase_is_known check (phase in ('queued', 'dispatched', 'running', 'ended')),
        outcome         text
          constraint job_outcome_is_known
            check (outcome in ('succeeded', 'failed', 'not_executed', 'unknown', 'cancelled')),
        cursor          jsonb       not null,
        wake_at         timestamptz not null,
        wait_reason     text,
        deadline_at     timestamptz not null,
        attempts        integer     not null default 0,
        epoch           integer     not null default 0,
        lease_until     timestamptz,
        owner           text,
        lost_workers    integer     not null default 0,
        intent          jsonb,
        cancel_asked_at timestamptz,
        result          jsonb,
        failure         jsonb,
        started_by      text        not null,
        started_by_name text        not null,
        operator_id     uuid        constraint job_was_started_by_an_operator references operator (id) on delete set null,
        reason          text,
        request_id      text,
        created_at      timestamptz not null,
        started_at      timestamptz,
        ended_at        timestamptz,
        constraint job_counts_up            check (attempts >= 0 and epoch >= 0),
        constraint job_ended_has_an_outcome check ((phase = 'ended') = (outcome is not null)),
        constraint job_ended_has_a_time     check ((phase = 'ended') = (ended_at is not null)),
        constraint job_lease_has_an_owner   check ((phase in ('dispatched', 'running')) = (lease_until is not null))
      )
      -- A heartbeat writes each running job again and again. Without an index of its lease, and with room on its page, that
      -- touches no index. None is missed: a lease is compared with clock_timestamp(), which no index can answer, and the running
      -- jobs are found by job_is_alone_on_its_device.
      with (fillfactor = 70);
      comment on table job is 'One long operation on one device; the queue only hands these rows out.';
      comment on column job.is_bulk is 'Of a batch: it never takes the capacity that is reserved for interactive jobs.';
      comment on column job.epoch is 'Rises with every dispatch and every lost lease; who holds an older one may not write.';
      comment on column job.lost_workers is 'Workers that were lost in a row while they ran it, without progress in between.';
      comment on column job.intent is 'The latest effect on the device: what was probed before, whether it was sent, what the probe after said.';
      comment on column job.failure is 'Why it ended without success; while it waits, what went wrong last.';
      comment on column job.operator_id is 'In whose name it acts; null for jobs of the gateway itself.';
      comment on column job.started_at is 'When a worker first took it up. From then until its end the device is its own.';

      -- The dispatcher walks along due jobs, people's first, instead of sorting all of them.
      create index job_due_idx       on job (is_bulk, wake_at, id) where phase = 'queued';
      create index job_deadline_idx  on job (deadline_at) where phase = 'queued';
      create index job_unclaimed_idx on job (owner) where phase = 'dispatched';
      create index job_open_idx      on job (device_id, created_at, id) where phase <> 'ended';
      create index job_lost_workers_idx on job (is_bulk, wake_at, id) where lost_workers > 1 and phase <> 'ended';
      create index job_list_idx      on job (created_at desc, id desc);
      create index job_device_idx    on job (device_id, created_at desc, id desc);
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
    `;

/* Secrets that jobs send to devices or bring from them: the row of the job names them, and holds none. */
const SEALED_VALUE = `
      create table sealed_value (
        id              uuid        not null constraint sealed_value_pkey primary key,
        label           text        not null,
        sealed_content  bytea       not null,
        device_id       uuid        constraint sealed_value_belongs_to_a_device references device (id) on delete cascade,
        job_id          uuid,
        name            text,
        policy_id       uuid,
        operator_id     uuid        constraint sealed_value_was_given_by_an_operator references operator (id) on delete cascade,
        created_by      text        not null,
        created_by_name text        not null,
        created_at      timestamptz not null,
        expires_at      timestamptz not null,
        constraint sealed_value_of_a_job_has_a_name check ((job_id is null) = (name is null)),
        constraint sealed_value_once_per_job_and_name unique (job_id, name)
      );
      comment on table sealed_value is 'A password or key that a job uses or made. Jobs name it by id; it is opened into a request to a device, or for an operator who may, with an audit entry.';
      comment on column sealed_value.job_id is 'The job that made it; null for one that an operator gave.';
      comment on column sealed_value.policy_id is
        'The backup policy whose copy of a passphrase this is: only its backups, and restores of them, may use it. No foreign key: it outlives the policy, as its backups do.';
      comment on column sealed_value.operator_id is
        'Whose jobs alone may use a value that an operator gave. A value that has no operator, no job and no policy is used by no job.';
      create index sealed_value_list_idx    on sealed_value (created_at desc, id desc);
      create index sealed_value_expires_idx on sealed_value (expires_at);
      create index sealed_value_device_idx  on sealed_value (device_id) where device_id is not null;
      select fleetgate_sealed('sealed_value', 'sealed_content');
    `;

/* Jobs and rows that take their processes down are found by counting them (ADR 22). */
const WORK_MARK = `
      create table work_mark (
        kind         text        not null,
        row_id       uuid        not null,
        owner        text,
        held_until   timestamptz,
        lost_workers integer     not null default 0,
        constraint work_mark_pkey primary key (kind, row_id),
        constraint work_mark_is_held_by_an_owner check ((owner is null) = (held_until is null))
      );
      comment on table work_mark is
        'Rows that a process works on, and those that processes were lost with. A mark is removed when the work is done.';
      comment on column work_mark.lost_workers is 'Processes that were lost in a row while they worked on it.';
    `;
