import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { PolicyPassphrases1763874000000 } from '../../migrations/20261123-0500-policy-passphrases.js';
import { freshDatabase } from '../support/database.js';

/* Copies of passphrases that policies made before copies belonged to a policy. */

let db: DataSource;
let database: Awaited<ReturnType<typeof freshDatabase>>;

beforeAll(async () => {
  database = await freshDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

it('belong to their policy after the migration, those of removed policies too', async () => {
  const runner = db.createQueryRunner();
  const migration = new PolicyPassphrases1763874000000();
  await migration.down(runner);
  const [current, former, given, policy, removed, device] = Array.from({ length: 6 }, () => randomUUID());
  await runner.query(`set session_replication_role = replica`); // no triggers: which data key sealed them is not asked
  for (const id of [current, former, given]) {
    await runner.query(
      `insert into sealed_value (id, label, sealed_content, created_by, created_by_name, created_at, expires_at)
       values ($1, 'passphrase', '\\x00', 'key:ada', 'Ada', now(), now() + interval '1 day')`,
      [id],
    );
  }
  await runner.query(
    `insert into backup_policy (id, name, selector, every_seconds, time_zone, keep_count, only_changes, passphrase, enabled,
                                created_by, created_by_name, created_at, version)
     values ($1, 'nightly', 'all', 60, 'UTC', 1, false, $2, false, 'key:ada', 'Ada', now(), 1)`,
    [policy, current],
  );
  await runner.query(
    `insert into job (id, device_id, kind, spec, phase, cursor, wake_at, deadline_at, started_by, started_by_name, request_id, created_at)
     values ($1, $2, 'backup', $3, 'queued', '{}', now(), now(), $4, 'Ada', 'req-00000001', now())`,
    [randomUUID(), device, JSON.stringify({ sealedValue: former }), `system:backup-policy:${removed}`],
  );
  await migration.up(runner);
  const rows = await db.query<{ id: string; policyId: string | null }[]>(
    'select id, policy_id as "policyId" from sealed_value',
  );
  expect(new Map(rows.map(({ id, policyId }) => [id, policyId]))).toEqual(
    new Map([
      [current, policy],
      [former, removed],
      [given, null],
    ]),
  );
  await runner.release();
});
