import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What is locked, and by whom. */
export class Locks1763734200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table lock (
        id              uuid        not null constraint lock_pkey primary key,
        kind            text        not null
          constraint lock_kind_is_known check (kind in ('operator', 'key', 'device', 'selector', 'writes')),
        target          text
          constraint lock_names_what_it_locks check ((kind = 'writes') = (target is null)),
        reason          text        not null
          constraint lock_reason_is_short check (length(reason) between 1 and 500),
        created_at      timestamptz not null,
        created_by      text        not null,
        created_by_name text        not null,
        ends_at         timestamptz
          constraint lock_ends_after_it_began check (ends_at > created_at),
        lifted_at       timestamptz
      );
      comment on table lock is 'Whoever or whatever does nothing for now: an operator, a key, a device, a selector, all writes.';
      create index lock_in_force_idx on lock (created_at) where lifted_at is null;

      select fleetgate_notify_changes('lock', 'locks', 'id');
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table lock');
  }
}
