import { type QueryRunner } from 'typeorm';

/**
 * Requests that must not be carried out twice, by the key that their sender gave them. A request that ended in an error may
 * have been carried out all the same: its key says so, and is not taken again.
 */
export class Requests1795662300000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table idempotency_key (
        id             uuid        not null default gen_random_uuid() constraint idempotency_key_id_is_unique unique,
        actor          text        not null,
        key            text        not null
          constraint idempotency_key_is_short check (length(key) between 8 and 128),
        request_digest bytea       not null,
        request_id     text,
        rights_mark    bytea,
        sealed_answer  bytea,
        failure        text,
        created_at     timestamptz not null,
        constraint idempotency_key_pkey primary key (actor, key)
      );
      comment on table idempotency_key is
        'What a request that changes something came to, compressed, sealed, and without the bodies of devices. No answer yet: it runs, or its process died in it.';
      comment on column idempotency_key.rights_mark is
        'A digest of the rules by which its sender was judged; its answer is given again to the same rules alone.';
      comment on column idempotency_key.failure is
        'The code of the error that its request ended in, where it is not certain that nothing was changed.';
      create index idempotency_key_age_idx on idempotency_key (created_at);
      select fleetgate_sealed('idempotency_key', 'sealed_answer');
    `);
  }
}
