import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The audit: opened before an effect, closed after it, and never changed. */
export class Audit1763719800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table audit_entry (
        id          uuid        not null constraint audit_entry_pkey primary key,
        opened_at   timestamptz not null,
        action      text        not null
          constraint audit_entry_action_is_noun_verb check (action ~ '^[a-z_]+(\\.[a-z_]+)+$'),
        actor       text        not null,
        actor_name  text        not null,
        request_id  text,
        address     text,
        reason      text,
        device_id   uuid,
        job_id      uuid,
        subject     text        not null,
        facts       jsonb       not null default '{}'
      );
      comment on table audit_entry is
        'Who set out to do what to what, written before the effect. Rows are only ever added. No foreign keys: an entry outlives what it speaks of.';
      create index audit_entry_time_idx   on audit_entry (opened_at desc, id desc);
      create index audit_entry_device_idx on audit_entry (device_id, opened_at desc, id desc) where device_id is not null;
      create index audit_entry_job_idx    on audit_entry (job_id) where job_id is not null;

      create table audit_outcome (
        entry_id  uuid        not null constraint audit_outcome_pkey primary key
          constraint audit_outcome_closes_an_entry references audit_entry (id),
        closed_at timestamptz not null,
        outcome   text        not null
          constraint audit_outcome_is_known check (outcome in ('succeeded', 'failed', 'refused', 'unknown')),
        facts     jsonb       not null default '{}'
      );
      comment on table audit_outcome is
        'How an entry ended, written after the effect. An entry without one is open: its effect is under way, or the process died in it.';

      revoke update, delete, truncate on audit_entry, audit_outcome from fleetgate_app;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table audit_outcome, audit_entry');
  }
}
