import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { itNightly, sizeOf } from '../../support/forms.js';
import { killed, startCountingWorld, type CountingWorld } from '../../support/jobs/counting-world.js';
import { until } from '../../support/until.js';

/* The short form of these rules, without processes, is in `quarantine.spec.ts`. */

let world: CountingWorld;
afterEach(() => world.close());

describe('a job that crashes its worker process', () => {
  // Where all jobs are lost twice, those that are innocent run one at a time: some ten in a second.
  it.each([
    { jobs: sizeOf({ short: 100, long: 100, nightly: 500 }), lostTogether: 1 },
    { jobs: 100, lostTogether: 2 },
  ])(
    'ends within three lost processes, and all others of $jobs succeed: $lostTogether times all are lost with it',
    async ({ jobs, lostTogether }) => {
      world = await startCountingWorld(jobs);
      const lethal = world.deviceIds[jobs / 2]!;
      await world.startJobs();
      const over = until(async () => !(await world.outcomes())['open']).then(() => null);
      let deaths = 0;
      for (;;) {
        const company = deaths < lostTogether ? { company: jobs } : {};
        const worker = world.startWorker({ lethal, ...company }, { JOB_LEASE_SECONDS: '3' });
        const end = await Promise.race([once(worker, 'exit'), over]);
        if (end === null) break;
        expect(end).toEqual([null, 'SIGKILL']);
        deaths++;
        expect(deaths).toBeLessThanOrEqual(3);
      }
      expect(await world.outcomes()).toEqual({ succeeded: jobs - 1, not_executed: 1 });
      const [row] = await world.owner.query<object[]>(
        `select id, lost_workers, failure->>'code' as code from job where device_id = $1`,
        [lethal],
      );
      expect(row).toMatchObject({ lost_workers: 3, code: 'quarantined' });
      const events = await world.owner.query<object[]>(`select subject from event where type = 'job.quarantined'`);
      expect(events).toEqual([{ subject: `job:${(row as { id: string }).id}` }]);
      expect(await world.owner.query('select from counted')).toHaveLength(jobs - 1);
    },
    10 * 60_000, // 500 jobs in three processes, beside all other tests
  );
});

describe('jobs of a worker process that is killed', () => {
  it('succeed, all of them, though two workers are killed in a row', async () => {
    const jobs = 100;
    world = await startCountingWorld(jobs);
    await world.startJobs();
    for (let kill = 0; kill < 2; kill++) {
      const worker = world.startWorker({ company: jobs }, { JOB_LEASE_SECONDS: '3' });
      await until(async () => (await runningWith(kill)) === jobs);
      await killed(worker);
    }
    world.startWorker({}, { JOB_LEASE_SECONDS: '3' });
    await until(async () => (await world.outcomes())['succeeded'] === jobs);
    expect(await world.owner.query('select from counted')).toHaveLength(jobs);
  });

  const runningWith = async (lostWorkers: number) => {
    const rows = await world.owner.query<object[]>(`select from job where phase = 'running' and lost_workers = $1`, [
      lostWorkers,
    ]);
    return rows.length;
  };

  // The one time that a test measures: jobs that ran one at a time after one kill would take a quarter of an hour.
  itNightly(
    'make progress, nine in ten of 10,000, within a lease and 30 seconds',
    async () => {
      const jobs = 10_000;
      const leaseSeconds = 30;
      const env = { JOB_CONCURRENCY: String(jobs), JOB_LEASE_SECONDS: String(leaseSeconds) };
      world = await startCountingWorld(jobs);
      await world.startJobs();
      const first = world.startWorker({ company: jobs }, env);
      await new Promise<void>((resolve) => first.on('message', (message) => message === 'held' && resolve()));
      const second = world.startWorker({}, env);
      await once(second, 'message');
      const killedAtMs = performance.now();
      await killed(first);
      const progressed = `select from job where intent->>'state' in ('sent', 'executed')`;
      await until(async () => (await world.owner.query<object[]>(progressed)).length >= 0.9 * jobs);
      const seconds = (performance.now() - killedAtMs) / 1_000;
      process.stderr.write(`Nine in ten jobs made progress ${seconds.toFixed(1)} s after the kill\n`);
      expect(seconds).toBeLessThan(leaseSeconds + 30);
      await until(async () => (await world.outcomes())['succeeded'] === jobs);
    },
    600_000,
  );
});
