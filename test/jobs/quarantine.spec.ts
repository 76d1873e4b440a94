import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { makeJobWorld, type JobWorld } from '../support/job-world.js';
import { startKindWorld, type KindWorld } from '../support/kind-world.js';
import { Strikes } from '../support/strike-kind.js';

/** Four worker processes start in turn; a busy machine takes its time for each. */
jest.setTimeout(300_000);

const WORKER = fileURLToPath(new URL('../support/lethal-worker.mjs', import.meta.url));
const INNOCENT = 1;

describe('a job that takes its worker process down', () => {
  let world: KindWorld;

  beforeAll(async () => {
    world = await startKindWorld({ devices: INNOCENT + 1, family: 'RUTX50', profile: 'rutos' }, { ROLE: 'api' });
  });
  afterAll(() => world.close());

  function startWorker(lethal?: string) {
    const { scale, base } = world.clock;
    const child = spawn(process.execPath, [WORKER, JSON.stringify({ lethal, company: INNOCENT + 1, scale, base })], {
      env: {
        PATH: process.env['PATH'],
        ...world.gateway.env,
        ROLE: 'worker',
        PORT: '0',
        LOG_LEVEL: 'silent',
        JOB_LEASE_SECONDS: '3',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return { child, exit: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]> };
  }

  const start = async (index: number) => {
    const jobId = await world.start(index, 'backup');
    await world.db.query(`update job set deadline_at = deadline_at + interval '10 days' where id = $1`, [jobId]);
    return jobId;
  };

  it('is quarantined after the second lost worker, and the jobs beside it succeed', async () => {
    const jobIds = await Promise.all(world.ids.map((_, index) => start(index)));
    const all = Promise.all(jobIds.map((jobId) => world.ended(jobId)));
    let deaths = 0;
    for (let isOver = false; !isOver;) {
      const { child, exit } = startWorker(world.ids[0]);
      const first = await Promise.race([exit, all.then(() => null)]);
      isOver = first === null;
      if (first === null) child.kill('SIGKILL');
      else expect(first).toEqual([null, 'SIGKILL']);
      await exit;
      if (!isOver) deaths++;
      expect(deaths).toBeLessThanOrEqual(2);
    }
    const [lethal, ...others] = await all;
    expect(lethal).toMatchObject({
      outcome: 'not_executed',
      lostWorkers: 2,
      failure: { code: 'quarantined', message: expect.stringContaining('start the job again') },
    });
    expect(others.map(({ outcome }) => outcome)).toEqual(Array(INNOCENT).fill('succeeded'));
    expect(deaths).toBe(2);
    expect(await world.db.query(`select subject from event where type = 'job.quarantined'`)).toEqual([
      { subject: `job:${jobIds[0]}` },
    ]);
  });

  it('is started again by a person, and runs', async () => {
    const jobId = await start(0);
    const { child, exit } = startWorker();
    expect(await world.ended(jobId)).toMatchObject({ outcome: 'succeeded', lostWorkers: 0 });
    child.kill('SIGKILL');
    await exit;
  });
});

describe('jobs whose worker was lost', () => {
  let world: JobWorld;

  beforeAll(async () => {
    world = await makeJobWorld(new Strikes().kinds);
  });
  afterAll(() => world.close());

  const dispatch = () => world.worker.rows.dispatch(world.worker.leases.owner, 1_000);
  const suspects = async (count: number) => {
    await world.db.query(`update job set phase = 'ended', outcome = 'cancelled', ended_at = now(), lease_until = null`);
    for (let index = 0; index < count; index++) await world.start(await world.addDevice(), 'strike');
    await world.db.query(`update job set lost_workers = 1 where phase = 'queued'`);
  };

  it('are handed out one at a time, beside all others', async () => {
    await suspects(3);
    await world.start(await world.addDevice(), 'strike');
    expect(await dispatch()).toHaveLength(2);
    expect(await dispatch()).toHaveLength(0);
    const [moved] = await world.db.query<[object[], number]>(
      `update job set phase = 'queued', lost_workers = 0, wake_at = now() + interval '1 hour', lease_until = null
        where phase = 'dispatched' and lost_workers > 0 returning tried_alone`,
    );
    expect(moved).toEqual([{ tried_alone: true }]);
    expect(await dispatch()).toHaveLength(1);
  });

  it('are not convicted by a clean stop that was too short for them', async () => {
    await suspects(1);
    const [ticket] = await dispatch();
    const { rows, leases } = world.worker;
    expect(await rows.claim(ticket!, leases.owner)).toMatchObject({ lostWorkers: 1, triedAlone: true });
    await rows.acquit(leases.owner);
    await world.db.query(`update job set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [
      ticket!.jobId,
    ]);
    await world.sweeper.sweep();
    expect(await world.jobs.get(ticket!.jobId)).toMatchObject({ phase: 'queued', lostWorkers: 1 });
  });

  it('are handed out in groups where a crash left many, and none of a group is convicted', async () => {
    await suspects(64);
    expect(await dispatch()).toHaveLength(4);
    const rows = await world.db.query(`select from job where phase = 'dispatched' and tried_alone`);
    expect(rows).toEqual([]);
  });
});
