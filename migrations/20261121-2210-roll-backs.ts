import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A roll-back is a rollout whose targets each have a spec of their own: each device goes back to what it was. */
export class RollBacks1763763000000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table rollout_target add column spec jsonb;
      comment on column rollout_target.spec is 'What is done to this device, where it differs from the rollout''s spec.';
      alter table rollout add column rolls_back uuid
        constraint rollout_rolls_back_a_rollout references rollout (id) on delete set null;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('alter table rollout drop column rolls_back; alter table rollout_target drop column spec');
  }
}
