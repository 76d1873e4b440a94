import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A policy without any stop now says so: `never`. Before, it was an object with neither of the two thresholds. */
export class RolloutStops1795660200000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      update rollout set policy = jsonb_set(policy, '{stop}', '"never"')
        where jsonb_typeof(policy -> 'stop') = 'object' and not policy -> 'stop' ?| array['failures', 'percent'];
      update schedule set template = jsonb_set(template, '{policy,stop}', '"never"')
        where jsonb_typeof(template #> '{policy,stop}') = 'object'
          and not template #> '{policy,stop}' ?| array['failures', 'percent'];
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      update rollout set policy = jsonb_set(policy, '{stop}', '{"minimum": 5}') where policy -> 'stop' = '"never"';
      update schedule set template = jsonb_set(template, '{policy,stop}', '{"minimum": 5}')
        where template #> '{policy,stop}' = '"never"';
    `);
  }
}
