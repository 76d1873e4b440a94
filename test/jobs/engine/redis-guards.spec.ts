import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { redisFaultOf } from '../../../src/database/redis-connection.js';
import { JobQueue } from '../../../src/jobs/engine/job-queue.js';
import { makeJobWorld } from '../../support/jobs/job-world.js';
import { itInFull } from '../../support/forms.js';
import { RedisServer } from '../../support/redis-server.js';
import { DatabaseLink } from '../../support/servers/database-link.js';
import { DangerousKind } from '../../support/jobs/dangerous-kind.js';
import { until } from '../../support/until.js';

const describeWithRedis = RedisServer.isInstalled ? describe : describe.skip;

describeWithRedis('a queue on a Redis', () => {
  let redis: RedisServer;

  beforeEach(async () => {
    redis = await RedisServer.make();
  });
  afterEach(() => redis.remove());

  const queueOn = (redisMayForget: boolean) => {
    const place = {
      postgresUrl: '',
      postgresPoolSize: 10,
      redisUrl: redis.url,
      redisPrefix: '{guards}',
      redisMayForget,
    };
    return new JobQueue(place, pino({ level: 'silent' }));
  };

  it.each([
    ['without append-only', { appendOnly: false }, 'append-only is off'],
    ['that evicts', { policy: 'allkeys-lru' }, 'its policy is allkeys-lru'],
  ])('does not open %s, unless it is told to', async (_name, options, problem) => {
    await redis.start(options);
    await expect(queueOn(false).open()).rejects.toThrow(problem);
    await expect(queueOn(false).open()).rejects.toThrow('REDIS_MAY_FORGET');
    const told = queueOn(true);
    await told.open();
    await told.ping();
    await told.close(1_000);
  });

  it('does not open a node of a cluster, and says what else to give', async () => {
    await redis.start({}, ['--cluster-enabled', 'yes']);
    await expect(queueOn(true).open()).rejects.toThrow(/node of a Redis Cluster.*without cluster mode/);
  });

  it('does not open a Sentinel, and says what else to give', async () => {
    const sentinel = await RedisServer.make();
    try {
      await sentinel.startSentinel();
      const place = { postgresUrl: '', postgresPoolSize: 10, redisUrl: sentinel.url, redisPrefix: '{guards}' };
      const queue = new JobQueue(place, pino({ level: 'silent' }));
      await expect(queue.open()).rejects.toThrow(/address of a Sentinel.*always leads to the master/);
    } finally {
      await sentinel.remove();
    }
  });

  it('says at the start that TLS failed, and not that a connection is closed', async () => {
    // As a Redis without TLS that does not wait: it answers a greeting of TLS in plain text.
    const plain = createServer((socket) =>
      socket.on('error', () => undefined).once('data', () => socket.end('-ERR\r\n')),
    );
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const place = { postgresUrl: '', postgresPoolSize: 10, redisPrefix: '{guards}' };
    const queue = new JobQueue({ ...place, redisUrl: `rediss://127.0.0.1:${port}` }, pino({ level: 'silent' }));
    await expect(queue.open()).rejects.toThrow(/cannot be used.*The TLS connection to Redis fails/);
    plain.close();
  });

  it.each<[name: string, fault: string, breakIt: (client: Redis) => Promise<unknown>, mend: (client: Redis) => Promise<unknown>]>([
    [
      'is full', 'redis_full',
      (client) => client.config('SET', 'maxmemory', '1'),
      (client) => client.config('SET', 'maxmemory', '0'),
    ],
    [
      'is a replica of a lost master', 'redis_read_only',
      (client) => client.replicaof('127.0.0.1', 9),
      (client) => client.replicaof('NO', 'ONE'),
    ],
    [
      'has too few replicas', 'redis_replicas',
      (client) => client.config('SET', 'min-replicas-to-write', '1'),
      (client) => client.config('SET', 'min-replicas-to-write', '0'),
    ],
    [
      'has taken a right away', 'redis_login',
      (client) => client.acl('SETUSER', 'default', '-evalsha', '-eval'),
      (client) => client.acl('SETUSER', 'default', '+@all'),
    ],
  ])('does not work when its Redis answers and %s, and says why', async (_name, fault, breakIt, mend) => {
    await redis.start();
    const queue = queueOn(false);
    await queue.open();
    const client = new Redis(redis.url);
    await queue.ping();
    const before = await client.dbsize();
    await breakIt(client);
    expect(await client.ping()).toBe('PONG');
    const error: unknown = await queue.ping().catch((thrown: unknown) => thrown);
    expect(redisFaultOf(error)).toBe(fault);
    await mend(client);
    for (let n = 0; n < 20; n++) await queue.ping();
    expect(await client.dbsize()).toBe(before); // what is moved through leaves nothing
    client.disconnect();
    await queue.close(1_000);
  }); // prettier-ignore

  it('is read by several workers, which together hold as many tickets as there are places', async () => {
    await redis.start();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const queue = queueOn(false);
    await queue.open();
    const client = new Redis(redis.url);
    const connections = async () => ((await client.client('LIST')) as string).trim().split('\n');
    /** Those that wait for a ticket. */
    const waiting = async () => (await connections()).filter((line) => / flags=\w*b/.test(line)).length;
    const taken: string[] = [];
    let letGo!: () => void;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const jobIds = Array.from({ length: 500 }, (_, index) => `job-${index}`);
    await queue.add(jobIds.map((jobId) => ({ jobId, epoch: 1 })));
    queue.consume(({ jobId }) => {
      taken.push(jobId);
      return held;
    }, 330);
    await until(() => taken.length >= 330);
    expect(taken).toHaveLength(330);
    letGo();
    await until(() => taken.length >= 500);
    expect(new Set(taken)).toEqual(new Set(jobIds));
    expect(taken).toHaveLength(500);
    await until(async () => (await waiting()) === 6);
    const before = (await connections()).length;
    queue.replaceConsumers();
    await queue.add([{ jobId: 'late', epoch: 1 }]);
    await until(() => taken.includes('late'));
    await until(async () => (await waiting()) === 6);
    await until(async () => (await connections()).length === before); // those of the old ones are closed
    await queue.close(5_000);
    await until(async () => (await connections()).length === 1);
    client.disconnect();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('gives tickets again after a restart with an empty disk, and after its waiting connections were cut', async () => {
    await redis.start();
    const queue = queueOn(false);
    await queue.open();
    const taken: string[] = [];
    queue.consume(({ jobId }) => Promise.resolve(void taken.push(jobId)), 128);
    const isTaken = async (jobId: string) => {
      await until(() =>
        queue.add([{ jobId, epoch: 1 }]).then(
          () => true,
          () => false,
        ),
      );
      await until(() => taken.includes(jobId));
    };
    await isTaken('before');
    const client = new Redis(redis.url);
    client.on('error', () => undefined);
    const waiting = async () =>
      ((await client.client('LIST')) as string).split('\n').filter((line) => / flags=\w*b/.test(line));
    await until(async () => (await waiting()).length === 2);
    for (const line of await waiting()) await client.client('KILL', 'ID', /^id=(\d{1,12})/.exec(line)![1]!);
    await isTaken('after the cut');
    await redis.kill();
    await redis.emptyDisk();
    await redis.start();
    await isTaken('after the restart');
    expect(new Set(taken)).toEqual(new Set(['before', 'after the cut', 'after the restart']));
    client.disconnect();
    await queue.close(5_000);
  });

  itInFull('gives tickets again when its connections have fallen silent', async () => {
    await redis.start();
    const link = await DatabaseLink.open(redis.url);
    const place = { postgresUrl: '', postgresPoolSize: 10, redisUrl: link.through(), redisPrefix: '{guards}' };
    const queue = new JobQueue({ ...place, redisSilentMs: 6_000 }, pino({ level: 'silent' }));
    await queue.open();
    const taken: string[] = [];
    queue.consume(({ jobId }) => Promise.resolve(void taken.push(jobId)), 128);
    await queue.add([{ jobId: 'before', epoch: 1 }]);
    await until(() => taken.includes('before'));
    link.silence();
    await until(() =>
      queue.add([{ jobId: 'after', epoch: 1 }]).then(
        () => true,
        () => false,
      ),
    );
    await until(() => taken.includes('after'));
    expect(taken).toEqual(['before', 'after']);
    await queue.close(5_000);
    await link.close();
  });

  it('is late and loses nothing while Redis is away', async () => {
    await redis.start();
    const strikes = new DangerousKind();
    const world = await makeJobWorld(strikes.kinds, redis.url);
    try {
      world.worker.consume();
      const ids = await Promise.all(
        Array.from({ length: 5 }, async () => (await world.start(await world.addDevice(), 'strike')).id),
      );
      await redis.kill();
      // Fails instead of waiting until Redis is back, and the jobs are due as before.
      await expect(world.worker.dispatcher.dispatch()).rejects.toThrow(/closed|writeable|timed out|ECONN/i);
      for (const id of ids) expect(await world.jobs.get(id)).toMatchObject({ phase: 'queued', owner: null });
      await redis.start();
      await world.eventually(
        () =>
          world.worker.queue.ping().then(
            () => true,
            () => false,
          ),
        (isBack) => isBack,
      );
      for (const id of ids) expect(await world.runToEnd(id)).toMatchObject({ outcome: 'succeeded' });
      expect(strikes.sent).toHaveLength(5);
    } finally {
      await world.close();
    }
  });
});
