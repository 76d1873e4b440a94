import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { checkPoolSize, JobQueue, redisProblems } from '../../../src/jobs/engine/job-queue.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

describe('a queue on Postgres', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  const queueOf = (postgresPoolSize = 10) =>
    new JobQueue(
      { postgresUrl: database.url, postgresPoolSize, redisUrl: undefined, redisPrefix: '{guards}' },
      pino({ level: 'silent' }),
    );

  it('is refused when it is so small that the queue could hang', () => {
    expect(() => checkPoolSize(9)).toThrow('QUEUE_POOL_SIZE is 9, but the queue needs at least 10');
    expect(() => checkPoolSize(10)).not.toThrow();
  });

  it('may be too busy for a new worker: another is made, and the process goes on meanwhile', async () => {
    const queue = queueOf();
    await queue.open();
    const taken: string[] = [];
    const connect = vi.spyOn(Pool.prototype, 'connect');
    connect.mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'));
    queue.consume(({ jobId }) => Promise.resolve(void taken.push(jobId)), 5);
    await queue.add([{ jobId: 'one', epoch: 1 }]);
    await until(() => taken.length > 0);
    expect(taken).toEqual(['one']);
    connect.mockRestore();
    await queue.close(1_000);
  });

  it('gives tickets again after its connection that waits was cut, and after all were', async () => {
    const queue = queueOf();
    await queue.open();
    const taken: string[] = [];
    queue.consume(({ jobId }) => Promise.resolve(void taken.push(jobId)), 64);
    const isTaken = async (jobId: string) => {
      await until(() =>
        queue.add([{ jobId, epoch: 1 }]).then(
          () => true,
          () => false,
        ),
      );
      await until(() => taken.includes(jobId));
    };
    const admin = new Client({ connectionString: database.url });
    await admin.connect();
    const cut = async (which: string) => {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and ${which}`,
      );
      return rowCount ?? 0;
    };
    await isTaken('before');
    await until(async () => (await cut(`query ilike '%listen bullmq_jobs%'`)) > 0);
    await isTaken('after the cut of one');
    expect(await cut('true')).toBeGreaterThan(0);
    await isTaken('after the cut of all');
    await admin.end();
    await queue.close(5_000);
  });

  it('closes although a ticket takes longer than it may', async () => {
    const queue = queueOf();
    await queue.open();
    let end!: () => void;
    const held = new Promise<void>((resolve) => (end = resolve));
    const states: string[] = [];
    queue.consume(async () => {
      states.push('taken');
      await held;
      states.push('ended');
    }, 1);
    await queue.add([{ jobId: 'long', epoch: 1 }]);
    await until(() => states.length > 0);
    await queue.close(10);
    expect(states).toEqual(['taken']);
    end();
  });

  it('stops the start of a worker when it is too small', async () => {
    await expect(queueOf(9).open()).rejects.toThrow('QUEUE_POOL_SIZE is 9');
  });
});

describe('a Redis', () => {
  it.each([
    ['keeps everything', 'aof_enabled:1\r\nmaxmemory_policy:noeviction\r\n', []],
    ['forgets in a restart', 'aof_enabled:0\r\nmaxmemory_policy:noeviction\r\n', [/append-only is off/]],
    ['throws keys away', 'aof_enabled:1\r\nmaxmemory_policy:allkeys-lru\r\n', [/its policy is allkeys-lru/]],
    ['does not say', '', [/append-only is off/, /its policy is unknown/]],
  ])('that %s is judged by its INFO', (_name, info, problems) => {
    expect(redisProblems(info)).toEqual(problems.map((problem) => expect.stringMatching(problem)));
  });
});
