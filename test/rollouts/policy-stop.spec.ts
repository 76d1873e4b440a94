import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type QueryRunner } from 'typeorm';
import { RolloutStops1795660200000 } from '../../migrations/20261126-0230-rollout-stops.js';
import { rolloutPolicy } from '../../src/rollouts/state/rollout-policy.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';

describe('the stop of a policy', () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [{ stop: { failures: 1 } }, true],
    [{ stop: { percent: 0.5 } }, true],
    [{ stop: { percent: 100, minimum: 1 } }, true],
    [{ stop: { failures: 3, percent: 10 } }, true],
    [{ stop: 'never' }, true],
    [{ stop: {} }, false],
    [{ stop: { minimum: 5 } }, false],
    [{ stop: { failures: 0 } }, false],
    [{ stop: { percent: 0 } }, false],
    [{ stop: { failures: '10%' } }, false],
    [{ stop: { percent: null } }, false],
    [{ stop: null }, false],
    [{ stop: 'Never' }, false],
    [{ stop: false }, false],
    [{ stop: { never: true } }, false],
  ])('%j is accepted: %s', (policy, isValid) => {
    expect(rolloutPolicy.safeParse(policy).success).toBe(isValid);
  });
});

describe('a stop that was stored before', () => {
  let database: TestDatabase;
  let db: pg.Client;
  beforeAll(async () => {
    database = await freshDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    // In front of the tables of the schema, which have more columns.
    await db.query('create temp table rollout (policy jsonb); create temp table schedule (template jsonb)');
  });
  afterAll(async () => {
    await db.end();
    await database.drop();
  });

  it.each<[stored: unknown, migrated: unknown]>([
    [{ minimum: 5 }, 'never'],
    [{}, 'never'],
    [{ failures: 1 }, { failures: 1 }],
    [
      { percent: 10, minimum: 5 },
      { percent: 10, minimum: 5 },
    ],
    ['never', 'never'],
  ])('%j becomes %j, in rollouts and in schedules', async (stored, migrated) => {
    await db.query('truncate rollout, schedule');
    await db.query('insert into rollout values ($1)', [{ stop: stored }]);
    await db.query('insert into schedule values ($1)', [{ policy: { stop: stored } }]);
    await new RolloutStops1795660200000().up(db as unknown as QueryRunner);
    const { rows } = await db.query(
      `select policy -> 'stop' as rollout, template #> '{policy,stop}' as schedule from rollout, schedule`,
    );
    expect(rows).toEqual([{ rollout: migrated, schedule: migrated }]);
    expect(rolloutPolicy.safeParse({ stop: migrated }).success).toBe(true);
  });
});
