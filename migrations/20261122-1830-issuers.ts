import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Who handed out a key or an invitation for somebody else: when that operator may more one day, it must not give the one who
 * handed it out what they do not hold.
 */
export class Issuers1763836200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table api_key
        add column issued_by uuid constraint api_key_was_issued_by_an_operator references operator (id);
      alter table invitation
        add column issued_by uuid constraint invitation_was_issued_by_an_operator references operator (id);
      comment on column api_key.issued_by is 'Who else has seen the key. Null: nobody, or it is from before this was kept.';
      comment on column invitation.issued_by is 'Who else has seen its token. Null: it is from before this was kept.';
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table api_key drop column issued_by; alter table invitation drop column issued_by');
  }
}
