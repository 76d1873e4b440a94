import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BackupPoliciesService } from '../../src/backups/backup-policies.service.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { StatusSweeper } from '../../src/monitoring/status.sweeper.js';
import { SchedulesService } from '../../src/rollouts/schedules/schedules.service.js';
import { WatchPlanSweeper } from '../../src/templates/watches/watch-plan.sweeper.js';
import { FakeClock } from '../support/fake-clock.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { until } from '../support/until.js';

/* Nothing is sent to these devices: each shows another certificate. */

const DEVICES = 40;
const HOUR = 3_600_000;
const EVERY_S = 900;
const rhythm = { everySeconds: EVERY_S };

/** Due times, and how many seconds one may be ahead. */
const DUE = {
  device: ['probe_at', 315],
  monitored_device: ['due_at', 240],
  watched_device: ['due_at', EVERY_S],
  schedule: ['next_run_at', EVERY_S],
  backup_policy: ['next_run_at', EVERY_S],
} as const;

let world: TestGateway;
let db: pg.Client;
const clock = new FakeClock(Date.now());

beforeAll(async () => {
  world = await startTestGateway({ ROLE: 'api', STATUS_EVERY_SECONDS: '300' }, clock);
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  await db.query(
    `insert into device (id, name, base_url, site, state, created_at, updated_at)
     select gen_random_uuid(), 'd-' || n, 'https://d' || n || '.example', 'a', 'trust_changed', now(), now()
       from generate_series(1, $1::int) as n`,
    [DEVICES],
  );
  await world.api.post('/v1/monitoring/policies', { name: 'all', selector: 'all' });
  await world.api.post('/v1/watches', { name: 'all', selector: 'all', paths: ['/api/system/config'], ...rhythm });
  await world.api.post('/v1/backups/policies', { name: 'all', selector: 'all', rhythm });
  await world.api.post('/v1/schedules', {
    name: 'all',
    rhythm,
    rollout: { name: 'all', kind: 'backup', selector: 'all' },
  });
});
afterAll(async () => {
  await db.end();
  await world.close();
});

async function sweep(): Promise<void> {
  const { app } = world.gateway;
  for (const kind of [StatusSweeper, SamplingPlanSweeper, WatchPlanSweeper, SchedulesService, BackupPoliciesService])
    await app.get<{ sweep(): Promise<unknown> }>(kind).sweep();
}

/** Rows of a table, and its last due time in seconds from now. */
async function lastOf(table: keyof typeof DUE) {
  const { rows } = await db.query<{ count: number; ahead: number; times: number }>(
    `select count(*)::int as count, extract(epoch from max(${DUE[table][0]}) - $1::timestamptz)::float8 as ahead,
            count(distinct ${DUE[table][0]})::int as times from ${table}`,
    [clock.now()],
  );
  return rows[0]!;
}

describe('due times', () => {
  it.each(Object.entries(DUE) as [keyof typeof DUE, (typeof DUE)[keyof typeof DUE]][])(
    'of %s are no further ahead than their interval after the clock was set back',
    async (table, [, mostSeconds]) => {
      await until(async () => {
        await sweep();
        const { count, ahead } = await lastOf(table);
        return count > 0 && ahead > 0; // all were polled once
      });
      const { times } = await lastOf(table);
      clock.pass(-3 * HOUR);
      expect((await lastOf(table)).ahead).toBeGreaterThan(2 * 3_600);
      await sweep();
      const after = await lastOf(table);
      expect(after.ahead).toBeLessThanOrEqual(mostSeconds + 60);
      expect(after.times).toBe(times); // the fleet stays spread
    },
  );
});
