import { type QueryRunner } from 'typeorm';

/** A wave that failed is `accepted` when a person resumes its rollout, and no longer `passed`. The table is small. */
export class AcceptedWaves1795748460000 {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table rollout_wave drop constraint rollout_wave_state_is_known;
      alter table rollout_wave add constraint rollout_wave_state_is_known
        check (state in ('waiting', 'running', 'soaking', 'passed', 'accepted', 'failed'));
    `);
  }
}
