import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A webhook knows the key that it was made with: revoked, it sends nothing more. */
export class WebhookAuthor1763766600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table webhook add column created_by text;
      comment on column webhook.created_by is 'The key or session of who changed it last; null: from before this was kept.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table webhook drop column created_by');
  }
}
