import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { TestApi } from '../support/test-api.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { importFleet, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

/** Four processes' worth of start; a machine that is busy takes its time. */

const SCHEDULES = sizeOf({ short: 2, long: 4 });
const WAVES = 3;

describe('two replicas and two workers on one database', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let others: Gateway[];
  let db: pg.Client;

  beforeAll(async () => {
    const groups = Array.from({ length: SCHEDULES }, (_, index) => ({ devices: WAVES, tags: [`s${index}`] }));
    fleet = await startOwnFleet({ ...groups[0]!, groups: groups.slice(1), timeScale: 600 });
    test = await startTestGateway({ ROLE: 'api' });
    const more = (role: string) =>
      startGateway({ config: readConfig({ ...test.env, ROLE: role, LOG_LEVEL: 'silent', DATABASE_POOL_SIZE: '8' }) });
    others = [await more('api'), await more('worker'), await more('worker')];
    db = new pg.Client({ connectionString: test.databaseUrl });
    await db.connect();
    await importFleet(test, fleet);
  });
  afterAll(async () => {
    await db.end();
    await Promise.all(others.map((other) => other.close()));
    await test.close();
    await fleet.close();
  });

  const count = async (sql: string) =>
    (await db.query<{ name: string; count: number }>(`select ${sql} group by 1 order by 1`)).rows;

  it('run each schedule once and move each wave once, and do each device once', async () => {
    const replicas = [test.api, new TestApi({ url: others[0]!.url, key: test.keys.administrator })];
    for (let index = 0; index < SCHEDULES; index++) {
      const waves = [{ take: { count: 1 } }, { take: { count: 1 } }, { take: 'rest' }];
      await replicas[index % 2]!.post('/v1/schedules', {
        name: `nightly ${index}`,
        rhythm: { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' },
        rollout: { name: `backup ${index}`, kind: 'backup', selector: `tag:s${index}`, policy: { waves } },
      });
    }
    // All due at one moment, as at half past two.
    await db.query('update schedule set next_run_at = now()');
    const started = () => replicas[1]!.get<{ items: RolloutAnswer[] }>('/v1/rollouts');
    await until(async () => (await started()).items.length >= SCHEDULES);
    for (const { id } of (await started()).items) {
      const { counts } = await untilRollout(replicas[0]!, id, 'finished');
      expect(counts).toMatchObject({ succeeded: WAVES });
    }
    expect((await started()).items).toHaveLength(SCHEDULES);
    expect(
      await count(`action as name, count(*)::int from audit_entry where action ~ '^(schedule|rollout)\\.'`),
    ).toEqual(
      ['rollout.create', 'rollout.finish', 'rollout.start', 'schedule.create', 'schedule.run'].map((name) => {
        // A schedule starts its rollout, and the rollout says when it begins.
        return { name, count: name === 'rollout.start' ? 2 * SCHEDULES : SCHEDULES };
      }),
    );
    expect(await count(`type as name, count(*)::int from event where type like 'rollout.wave_%'`)).toEqual(
      ['rollout.wave_passed', 'rollout.wave_running', 'rollout.wave_soaking'].map((name) => {
        return { name, count: SCHEDULES * WAVES };
      }),
    );
    expect(fleet.devices.map(({ index }) => fleet.ledger.summary(index).effects['backup'])).toEqual(
      fleet.devices.map(() => 1),
    );
  });
});
