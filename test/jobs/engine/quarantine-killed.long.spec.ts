import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';
import { PROJECT } from '../../support/source/project.js';

/* The short form of this rule, without processes, is in `quarantine.spec.ts`. */

const WORKER = fileURLToPath(new URL('test/support/workers/lethal-worker.mjs', PROJECT));
const INNOCENT = 1;

describe('a job that takes its worker process down', () => {
  let world: KindWorld;
  let last: ReturnType<typeof startWorker> | undefined;

  beforeAll(async () => {
    world = await startKindWorld({ devices: INNOCENT + 1, family: 'RUTX50', profile: 'rutos' }, { ROLE: 'api' });
  });
  afterAll(async () => {
    last?.child.kill('SIGKILL');
    await last?.exit;
    await world.close();
  });

  function startWorker(lethal: string, company?: number) {
    const { scale, base } = world.clock;
    const child = spawn(process.execPath, [WORKER, JSON.stringify({ lethal, company, scale, base })], {
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
    for (;;) {
      last = startWorker(jobIds[0]!, deaths === 0 ? INNOCENT + 1 : undefined);
      const first = await Promise.race([last.exit, all.then(() => null)]);
      if (first === null) break;
      expect(first).toEqual([null, 'SIGKILL']);
      deaths++;
      expect(deaths).toBeLessThanOrEqual(3);
    }
    const [lethal, ...others] = await all;
    expect(lethal).toMatchObject({
      outcome: 'not_executed',
      // The other job can be at work at the second death: then the third one says which it was.
      lostWorkers: deaths,
      failure: { code: 'quarantined', message: expect.stringContaining('start the job again') },
    });
    expect(others.map(({ outcome }) => outcome)).toEqual(Array(INNOCENT).fill('succeeded'));
    expect(deaths).toBeGreaterThanOrEqual(2);
    expect(await world.db.query(`select subject from event where type = 'job.quarantined'`)).toEqual([
      { subject: `job:${jobIds[0]}` },
    ]);
  });

  it('is started again by a person, and runs', async () => {
    expect(await world.ended(await start(0))).toMatchObject({ outcome: 'succeeded', lostWorkers: 0 });
  });
});
