import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Large requests wait for a second person. */
export class Approvals1763734800000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table approval (
        id                uuid        not null constraint approval_pkey primary key,
        action            text        not null,
        digest            bytea       not null
          constraint approval_digest_is_sha256 check (octet_length(digest) = 32),
        summary           jsonb       not null,
        devices           integer     not null,
        state             text        not null default 'pending'
          constraint approval_state_is_known check (state in ('pending', 'approved', 'rejected', 'used')),
        requested_by      uuid        not null
          constraint approval_was_asked_for_by_an_operator references operator (id) on delete cascade,
        requested_by_name text        not null,
        requested_at      timestamptz not null,
        expires_at        timestamptz not null,
        decided_by        uuid        constraint approval_was_decided_by_an_operator references operator (id) on delete set null,
        decided_by_name   text,
        decided_at        timestamptz,
        used_at           timestamptz,
        constraint approval_is_decided_by_another check (decided_by <> requested_by),
        constraint approval_says_who_decided check ((state = 'pending') = (decided_by_name is null)),
        constraint approval_says_when_it_was_used check ((state = 'used') = (used_at is not null))
      );
      comment on table approval is 'A request that touches more devices than one person decides about; bound to its digest, good once.';
      create unique index approval_is_asked_for_once on approval (requested_by, action, digest) where state = 'pending';
      create index approval_requested_idx on approval (requested_at, id);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table approval');
  }
}
