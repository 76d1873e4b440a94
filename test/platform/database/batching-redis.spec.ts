import { type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchingRedis } from '../../../src/platform/database/batching-redis.js';
import { RedisServer } from '../../support/redis-server.js';

const describeWithRedis = RedisServer.isInstalled ? describe : describe.skip;

describeWithRedis('a connection that gathers', () => {
  let server: RedisServer;
  let redis: BatchingRedis;

  beforeEach(async () => {
    server = await RedisServer.make();
    await server.start();
    redis = new BatchingRedis(server.url, { retryStrategy: () => 50 });
  });
  afterEach(async () => {
    redis.disconnect();
    await server.remove();
  });

  /** Counts how often the socket hands bytes to the system. */
  function writes() {
    const one = vi.spyOn(redis.stream, '_write');
    const many = vi.spyOn(redis.stream as Socket & Required<Pick<Socket, '_writev'>>, '_writev');
    return () => one.mock.calls.length + many.mock.calls.length;
  }

  it('sends the commands of one turn in one write, and answers each', async () => {
    await redis.ping();
    const written = writes();
    const names = Array.from({ length: 50 }, (_, index) => `name-${index}`);
    const stored = Promise.all(names.map((name) => redis.set(name, `of ${name}`)));
    expect(redis.stream.writableLength).toBeGreaterThan(0);
    await stored;
    expect(written()).toBe(1);
    expect(await Promise.all(names.map((name) => redis.get(name)))).toEqual(names.map((name) => `of ${name}`));
    expect(written()).toBe(2);
  });

  it('keeps order and bytes of what scripts, pipelines and transactions send', async () => {
    const bytes = Buffer.from([0, 255, 13, 10]);
    const script = `return {KEYS[1], ARGV[1]}`;
    const [evaluated, piped, done] = await Promise.all([
      redis.callBuffer('EVAL', script, 1, 'key', bytes),
      redis.pipeline().set('a', 1).incr('a').exec(),
      redis.multi().set('b', 1).incr('b').exec(),
    ]);
    expect(evaluated).toEqual([Buffer.from('key'), bytes]);
    expect(piped).toEqual([[null, 'OK'], [null, 2]]); // prettier-ignore
    expect(done).toEqual([[null, 'OK'], [null, 2]]); // prettier-ignore
  });

  it('goes on after its server was away', async () => {
    await redis.set('a', 1);
    const lost = new Promise((resolve) => redis.once('close', resolve));
    redis.on('error', () => undefined);
    await server.kill();
    await lost;
    const asked = Promise.all([redis.get('a'), redis.get('a')]);
    await server.start();
    expect(await asked).toEqual(['1', '1']);
  });
});
