import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackupRetentionSweeper } from '../../../src/backups/backup-retention.sweeper.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';

/* A restore brings back the password of its time, which the gateway has replaced since. */

let world: KindWorld;

beforeAll(async () => {
  world = await startKindWorld({ devices: 1, family: 'RUTX50', profile: 'rutos', seed: 11 }, { REDIS_URL: '' });
});
afterAll(() => world.close());

const run = async (kind: string, spec: object = {}) => {
  const job = await world.ended(await world.start(0, kind, spec));
  expect([kind, job.outcome, job.failure]).toEqual([kind, 'succeeded', null]);
  return job.result!;
};
const stored = async () => (await world.db.query<unknown[]>('select from backup_account')).length;

it('keeps the gateway in, however often the password was rotated since the backup', async () => {
  await run('credentials');
  const { artifactId } = await run('backup');
  expect(await stored()).toBe(1);
  await run('credentials');
  await run('restore', { artifactId });
  const device = await world.gateway.api.get<{ state: string }>(`/v1/devices/${world.ids[0]}`);
  expect(device).toMatchObject({ state: 'online' });
  const { items } = await world.gateway.api.get<{ items: object[] }>(`/v1/devices/${world.ids[0]}/history`);
  const states = items.filter((item) => 'field' in item && item.field === 'state');
  expect(states.slice(0, 2)).toMatchObject([
    { before: 'credentials_refused', after: 'online' },
    { before: 'online', after: 'credentials_refused' },
  ]);
  await run('reboot');
  // And the next rotation goes on from there.
  await run('credentials');
});

it('removes the stored passwords with the backup', async () => {
  await run('backup');
  expect(await stored()).toBe(2);
  const id = '00000000-0000-4000-8000-00000000000a';
  await world.db.query(
    `insert into backup_policy (id, name, selector, every_seconds, time_zone, keep_count, only_changes, enabled,
                                created_by, created_by_name, created_at, version)
     values ($1, 'nightly', 'all', 60, 'UTC', 1, false, false, 'key:ada', 'Ada', now(), 1)`,
    [id],
  );
  await world.db.query(`update artifact set created_by = 'system:backup-policy:' || $1`, [id]);
  await world.gateway.gateway.app.get(BackupRetentionSweeper).sweep();
  expect(await stored()).toBe(1);
});
