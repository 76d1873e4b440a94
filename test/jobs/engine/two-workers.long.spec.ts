import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { sizeOf } from '../../support/forms.js';
import { startTestGateway, type TestGateway } from '../../support/gateway.js';
import { queueBackends } from '../../support/jobs/queue-backends.js';
import { PROJECT } from '../../support/source/project.js';

/** Two worker processes start and share many jobs; a machine that is busy takes its time for that. */

const WORKER = fileURLToPath(new URL('test/support/workers/counting-worker.mjs', PROJECT));
const JOBS = sizeOf({ short: 400, long: 400, nightly: 1_500 });

/** BullMQ's Postgres backend lost and doubled jobs here before its statements were sent again (docs/adr/0006). */
describe.each(queueBackends())('two worker processes on a $backend queue', ({ redisUrl }) => {
  let gateway: TestGateway;
  let db: DataSource;
  let workers: ChildProcess[] = [];

  beforeEach(async () => {
    gateway = await startTestGateway({ ROLE: 'api', REDIS_URL: redisUrl ?? '' });
    db = gateway.gateway.app.get(DataSource);
  });
  afterEach(async () => {
    for (const worker of workers) {
      const ended = once(worker, 'exit');
      if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGKILL')) await ended;
    }
    await gateway.close();
  });

  it(`lose and double nothing in ${JOBS} jobs`, async () => {
    const owner = new DataSource({ type: 'postgres', url: gateway.databaseUrl });
    await owner.initialize();
    await owner.query('create table counted (device_id uuid not null, worker integer not null)');
    await owner.query(
      `insert into device (id, name, base_url, created_at, updated_at)
       select gen_random_uuid(), 'counted ' || n, 'https://' || n || '.test', now(), now() from generate_series(1, $1::int) as n`,
      [JOBS],
    );
    workers = [0, 1].map(() =>
      fork(WORKER, {
        env: {
          PATH: process.env['PATH'],
          ...gateway.env,
          REDIS_URL: redisUrl ?? '',
          ROLE: 'worker',
          PORT: '0',
          LOG_LEVEL: 'silent',
          JOB_CONCURRENCY: '20',
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      }),
    );
    await Promise.all(workers.map((worker) => once(worker, 'message'))); // both are ready: one alone could do all jobs
    await owner.query(
      `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
       select gen_random_uuid(), id, 'count', 'queued', '{"at":"count"}', now(), now() + interval '1 hour', 'system:test', 'Test', now()
         from device where name like 'counted %'`,
    );
    for (;;) {
      const [row] = await db.query<{ open: number }[]>(
        `select count(*)::int as open from job where kind = 'count' and phase <> 'ended'`,
      );
      if (row!.open === 0) break;
      if (workers.some(({ exitCode }) => exitCode !== null)) throw new Error('A worker ended by itself');
      await pause(100);
    }
    const [counted] = await owner.query<{ effects: number; devices: number; workers: number }[]>(
      'select count(*)::int as effects, count(distinct device_id)::int as devices, count(distinct worker)::int as workers from counted',
    );
    const outcomes = await owner.query('select outcome, count(*)::int as count from job group by outcome');
    await owner.destroy();
    expect(counted).toEqual({ effects: JOBS, devices: JOBS, workers: 2 });
    expect(outcomes).toEqual([{ outcome: 'succeeded', count: JOBS }]);
  });
});
