import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A suspect is convicted by a process that had nothing else in hand, and by no other. */
export class QuietTrials1763866800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job
        add column trials  integer not null default 0,
        add column lost_by text,
        add column lost_at timestamptz;
      comment on column job.trials is
        'Tries that it still has to make as a suspect: one at a time, and with nothing beside it after a second loss.';
      comment on column job.lost_by is 'The process that was lost last while it ran it.';
      comment on column job.lost_at is 'When that was noticed.';
      create index job_lost_by_idx on job (lost_by) where lost_by is not null;

      alter table work_mark
        alter column owner type text,
        add column lost_by     text,
        add column lost_at     timestamptz,
        add column quiet_until timestamptz;
      comment on column work_mark.alone is 'Whether the process that was lost last had nothing else in hand.';
      comment on column work_mark.lost_by is 'The process that was lost last while it worked on it.';
      comment on column work_mark.lost_at is 'When that was noticed.';
      comment on column work_mark.quiet_until is 'Until when everything else waits, so that it is tried with nothing beside it.';

      create function work_in_hand(process text, since timestamptz) returns bigint stable language sql as $$
        select count(*) from (
          select id from job where phase = 'running' and owner = process
          union select id from job where lost_by = process and lost_at >= since
          union all select row_id from work_mark where owner = process or lost_by = process and lost_at >= since) work
      $$;
      comment on function work_in_hand is 'How many jobs and rows a process has in hand, with those that were taken from it since an instant.';

      create function is_work_in_hand() returns boolean stable language sql as $$
        select exists (select from job where phase in ('dispatched', 'running'))
            or exists (select from work_mark where held_until > clock_timestamp())
      $$;
      comment on function is_work_in_hand is 'Whether any process has a job or a row in hand.';

      create function quiet_trial(now timestamptz, by_dispatcher boolean default false)
        returns table (kind text, id uuid) stable language sql as $$
        select trial.kind, trial.id from (
          select 'job' as kind, id, phase <> 'queued' as is_at_work, wake_at as since from job
           where lost_workers > 1 and trials > 0 and tried_alone and phase <> 'ended' and (phase <> 'queued' or wake_at <= now)
             and (wake_at > now - interval '5 minutes' or phase = 'queued' and by_dispatcher and not is_work_in_hand())
          union all
          select kind, row_id, owner is not null, quiet_until - interval '5 minutes' from work_mark
           where quiet_until > clock_timestamp()) trial
         order by is_at_work desc, since, id limit 1
      $$;
      comment on function quiet_trial is
        'The suspect that everything else waits for, for five minutes: it was lost with something beside it. A dispatcher '
        'without work to wait for tries it later, too: its worker may have been away for longer.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop function is_work_in_hand;
      drop function quiet_trial;
      drop function work_in_hand;
      delete from work_mark;
      alter table work_mark drop column quiet_until, drop column lost_at, drop column lost_by, alter column owner type uuid using null;
      drop index job_lost_by_idx;
      alter table job drop column lost_at, drop column lost_by, drop column trials;
    `);
  }
}
