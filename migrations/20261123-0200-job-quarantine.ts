import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Jobs that take their workers down are found, and stopped. */
export class JobQuarantine1763863200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table job
        add column lost_workers integer not null default 0,
        add column tried_alone  boolean not null default false;
      comment on column job.lost_workers is
        'Workers that were lost in a row while they ran it, without a step saved in between. Above 0 it is a suspect.';
      comment on column job.tried_alone is 'Whether it was handed out last as the only suspect at work.';
      create index job_suspect_idx on job (id) where lost_workers > 0 and phase <> 'ended';

      create function event_of_quarantined_job() returns trigger language plpgsql as $$
      begin
        insert into event (type, subject, device_id, data)
        values ('job.quarantined', 'job:' || new.id, new.device_id,
                jsonb_build_object('kind', new.kind, 'outcome', new.outcome, 'why', new.failure ->> 'message'));
        return null;
      end $$;
      create trigger job_makes_event_of_quarantine after update of phase on job for each row
        when (old.phase <> 'ended' and new.phase = 'ended' and new.failure ->> 'code' = 'quarantined')
        execute function event_of_quarantined_job();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      drop function event_of_quarantined_job cascade;
      drop index job_suspect_idx;
      alter table job drop column tried_alone, drop column lost_workers;
    `);
  }
}
