import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Rollouts, schedules, policies and webhooks that take their processes down are found, and stopped. */
export class WorkMarks1763863800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table work_mark (
        kind       text        not null,
        row_id     uuid        not null,
        owner      uuid,
        held_until timestamptz,
        lost       integer     not null default 0,
        alone      boolean     not null default false,
        constraint work_mark_pkey primary key (kind, row_id),
        constraint work_mark_is_held_by_an_owner check ((owner is null) = (held_until is null))
      );
      comment on table work_mark is
        'Rows that a process has in hand, and those that processes were lost with. A mark is taken back when the work is done.';
      comment on column work_mark.lost is 'Processes that were lost in a row with it in hand.';
      comment on column work_mark.alone is 'Whether it was the only suspect that its process worked on.';

      alter table backup_policy add column quarantined_at timestamptz;
      alter table schedule      add column quarantined_at timestamptz;
      alter table webhook       add column quarantined_at timestamptz;
      comment on column backup_policy.quarantined_at is 'When it was stopped, because it took its processes down.';
      comment on column schedule.quarantined_at is 'When it was stopped, because it took its processes down.';
      comment on column webhook.quarantined_at is 'When it was stopped, because it took its processes down.';

      create function event_of_quarantine() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, data)
        values (tg_argv[0] || '.quarantined', tg_table_name || ':' || new.id, jsonb_build_object('name', new.name));
        return null;
      end $$;
      create trigger backup_policy_makes_event_of_quarantine after update of quarantined_at on backup_policy for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('backup');
      create trigger schedule_makes_event_of_quarantine after update of quarantined_at on schedule for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('schedule');
      create trigger webhook_makes_event_of_quarantine after update of quarantined_at on webhook for each row
        when (new.quarantined_at > coalesce(old.quarantined_at, '-infinity')) execute function event_of_quarantine('webhook');
      create trigger rollout_makes_event_of_quarantine after update of pause_cause on rollout for each row
        when (new.pause_cause = 'quarantined' and old.pause_cause is distinct from 'quarantined')
        execute function event_of_quarantine('rollout');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop function event_of_quarantine cascade;
      alter table webhook       drop column quarantined_at;
      alter table schedule      drop column quarantined_at;
      alter table backup_policy drop column quarantined_at;
      drop table work_mark;
    `);
  }
}
