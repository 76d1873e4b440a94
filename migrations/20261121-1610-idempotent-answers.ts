import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Idempotency keys know the request that took them, so that the audit can be asked what became of it. */
export class IdempotentAnswers1763741400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      delete from idempotency_key;
      alter table idempotency_key
        drop column answer,
        add column id uuid not null default gen_random_uuid() constraint idempotency_key_id_is_unique unique,
        add column request_id text,
        add column sealed_answer bytea;
      select fleetgate_sealed('idempotency_key', 'sealed_answer');
      comment on table idempotency_key is
        'What a request that changes something came to, compressed, sealed, and without the bodies of devices. No answer yet: it runs, or its process died in it.';
      alter table saved_selector add column version integer not null default 1;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'alter table saved_selector drop column version; alter table idempotency_key drop column request_id, drop column sealed_answer_key, drop column sealed_answer, drop column id, add column answer bytea',
    );
  }
}
