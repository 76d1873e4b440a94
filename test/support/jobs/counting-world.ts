import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DataSource } from 'typeorm';
import { startTestGateway } from '../gateway.js';
import { PROJECT } from '../source/project.js';

const WORKER = fileURLToPath(new URL('test/support/workers/counting-worker.mjs', PROJECT));

/** What a worker does besides counting; `counting-worker.mjs` says it. */
interface WorkerOptions {
  readonly company?: number;
  readonly lethal?: string;
}

/** A gateway without jobs of its own, jobs that count their device, and worker processes that run them. */
export interface CountingWorld {
  readonly owner: DataSource;
  /** Ids of the devices, each of which gets a job. */
  readonly deviceIds: readonly string[];
  /** Makes the jobs, all due now. */
  startJobs(): Promise<void>;
  startWorker(habits?: WorkerOptions, env?: Record<string, string>): ChildProcess;
  /** How many jobs of each outcome there are; `open` has those that have not ended. */
  outcomes(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export async function startCountingWorld(jobs: number, redisUrl = ''): Promise<CountingWorld> {
  const gateway = await startTestGateway({ ROLE: 'api', REDIS_URL: redisUrl });
  const owner = await new DataSource({ type: 'postgres', url: gateway.databaseUrl }).initialize();
  await owner.query('create table counted (device_id uuid not null, worker integer not null)');
  const devices = await owner.query<{ id: string }[]>(
    `insert into device (id, name, base_url, created_at, updated_at)
     select gen_random_uuid(), 'counted ' || n, 'https://' || n || '.test', now(), now() from generate_series(1, $1::int) as n
     returning id`,
    [jobs],
  );
  const workers: ChildProcess[] = [];
  return {
    owner,
    deviceIds: devices.map(({ id }) => id),
    async startJobs() {
      await owner.query(
        `insert into job (id, device_id, kind, phase, cursor, wake_at, deadline_at, started_by, started_by_name, created_at)
         select gen_random_uuid(), id, 'count', 'queued', '{"at":"count"}', now(), now() + interval '1 hour', 'system:test', 'Test', now()
           from device where name like 'counted %'`,
      );
    },
    startWorker(habits = {}, env = {}) {
      const worker = fork(WORKER, [JSON.stringify(habits)], {
        env: {
          PATH: process.env['PATH'],
          ...gateway.env,
          REDIS_URL: redisUrl,
          ROLE: 'worker',
          PORT: '0',
          LOG_LEVEL: 'silent',
          ...env,
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      workers.push(worker);
      return worker;
    },
    async outcomes() {
      const rows = await owner.query<{ outcome: string; count: number }[]>(
        `select coalesce(outcome, 'open') as outcome, count(*)::int as count from job group by outcome`,
      );
      return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
    },
    async close() {
      for (const worker of workers) await killed(worker);
      await owner.destroy();
      await gateway.close();
    },
  };
}

/** Kills a process, if it has not ended yet, and waits for its end. */
export async function killed(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGKILL')) await ended;
}
