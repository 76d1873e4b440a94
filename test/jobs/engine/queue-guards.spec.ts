import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { checkPoolSize, JobQueue, redisProblems } from '../../../src/jobs/engine/job-queue.js';
import { RetryingPool } from '../../../src/jobs/engine/retrying-pool.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/until.js';

describe('the pool of the queue', () => {
  let database: TestDatabase;
  let pool: RetryingPool;

  beforeAll(async () => {
    database = await freshDatabase();
    pool = new RetryingPool(new Pool({ connectionString: database.url, max: 4, options: '-c deadlock_timeout=20ms' }));
    await pool.query('create table seat (id integer primary key, taken integer not null default 0)');
    await pool.query('insert into seat (id) values (1), (2)');
    await pool.query(`
      create function take_both(first integer, second integer) returns void language plpgsql as $$
      begin
        update seat set taken = taken + 1 where id = first;
        perform pg_advisory_xact_lock_shared(7);
        update seat set taken = taken + 1 where id = second;
      end $$`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('sends a statement again that fell victim to a deadlock', async () => {
    const before = pool.retries;
    await pool.query('update seat set taken = 0');
    // Both stand before their second seat when the gate opens.
    const gate = new Client({ connectionString: database.url });
    await gate.connect();
    await gate.query('select pg_advisory_lock(7)');
    const both = Promise.all([pool.query('select take_both(1, 2)'), pool.query('select take_both(2, 1)')]);
    const waiting = `select from pg_locks where locktype = 'advisory' and objid = 7 and not granted`;
    await until(async () => (await gate.query(waiting)).rowCount === 2);
    await gate.end();
    await both;
    expect(pool.retries).toBeGreaterThan(before);
    const { rows } = await pool.query('select taken from seat order by id');
    expect(rows).toEqual([{ taken: 2 }, { taken: 2 }]);
  });

  it('does not send a statement again that is wrong', async () => {
    const before = pool.retries;
    await expect(pool.query('select no_such_thing')).rejects.toMatchObject({ code: '42703' });
    expect(pool.retries).toBe(before);
  });

  it('ends although a connection was never given back', async () => {
    const other = new RetryingPool(new Pool({ connectionString: database.url, max: 2 }));
    const leaked = await other.connect();
    leaked.on('error', () => undefined);
    await other.end();
    await expect(leaked.query('select 1')).rejects.toThrow('Client');
  });

  it('is refused when it is so small that the queue could hang', () => {
    expect(() => checkPoolSize(9)).toThrow('QUEUE_POOL_SIZE is 9, but the queue needs at least 10');
    expect(() => checkPoolSize(10)).not.toThrow();
  });

  it('may be too busy for a new worker: another is made, and the process goes on meanwhile', async () => {
    const place = { postgresUrl: database.url, postgresPoolSize: 10, redisUrl: undefined, redisPrefix: '{guards}' };
    const queue = new JobQueue(place, pino({ level: 'silent' }));
    await queue.open();
    const taken: string[] = [];
    const connect = vi.spyOn(RetryingPool.prototype, 'connect');
    connect.mockRejectedValueOnce(new Error('timeout exceeded when trying to connect'));
    queue.consume(({ jobId }) => Promise.resolve(void taken.push(jobId)), 5);
    await queue.add([{ jobId: 'one', epoch: 1 }]);
    await until(() => taken.length > 0);
    expect(taken).toEqual(['one']);
    await queue.close(1_000);
  });

  it('stops the start of a worker when it is too small', async () => {
    const place = { postgresUrl: database.url, postgresPoolSize: 9, redisUrl: undefined, redisPrefix: '{guards}' };
    await expect(new JobQueue(place, pino({ level: 'silent' })).open()).rejects.toThrow('QUEUE_POOL_SIZE is 9');
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
