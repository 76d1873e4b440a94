import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sizeOf } from '../../support/forms.js';
import { startCountingWorld, type CountingWorld } from '../../support/jobs/counting-world.js';
import { queueBackends } from '../../support/jobs/queue-backends.js';

/** Two worker processes start and share many jobs; a machine that is busy takes its time for that. */

const JOBS = sizeOf({ short: 400, long: 400, nightly: 1_500 });

/** BullMQ's Postgres backend lost and doubled jobs here before its statements were sent again (docs/adr/0006). */
describe.each(queueBackends())('two worker processes on a $backend queue', ({ redisUrl }) => {
  let world: CountingWorld;

  beforeEach(async () => {
    world = await startCountingWorld(JOBS, redisUrl);
  });
  afterEach(() => world.close());

  it(`lose and double nothing in ${JOBS} jobs`, async () => {
    const workers = [0, 1].map(() => world.startWorker({}, { JOB_CONCURRENCY: '20' }));
    await Promise.all(workers.map((worker) => once(worker, 'message'))); // both are ready: one alone could do all jobs
    await world.startJobs();
    while ((await world.outcomes())['open']) {
      if (workers.some(({ exitCode }) => exitCode !== null)) throw new Error('A worker ended by itself');
      await pause(100);
    }
    const [counted] = await world.owner.query<{ effects: number; devices: number; workers: number }[]>(
      'select count(*)::int as effects, count(distinct device_id)::int as devices, count(distinct worker)::int as workers from counted',
    );
    expect(counted).toEqual({ effects: JOBS, devices: JOBS, workers: 2 });
    expect(await world.outcomes()).toEqual({ succeeded: JOBS });
  });
});
