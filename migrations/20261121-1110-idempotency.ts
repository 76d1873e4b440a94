import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Requests that must not be carried out twice, by the key that their sender gave them. */
export class Idempotency1763723400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table idempotency_key (
        actor          text        not null,
        key            text        not null
          constraint idempotency_key_is_short check (length(key) between 8 and 128),
        request_digest bytea       not null,
        answer         bytea,
        created_at     timestamptz not null,
        constraint idempotency_key_pkey primary key (actor, key)
      );
      comment on table idempotency_key is
        'What a request that touches many devices came to, compressed and without the bodies of their answers. No answer yet: it runs, or its process died in it.';
      create index idempotency_key_age_idx on idempotency_key (created_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop table idempotency_key');
  }
}
