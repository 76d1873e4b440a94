import { Redis } from 'ioredis';
import { type JobWorld } from './job-world.js';

export interface QueueBackend {
  readonly backend: 'postgres' | 'redis';
  readonly redisUrl: string | undefined;
  /** Throws away all that the queue holds. */
  empty(world: JobWorld): Promise<void>;
}

const POSTGRES: QueueBackend = {
  backend: 'postgres',
  redisUrl: undefined,
  empty: async (world) => {
    await world.db.query('delete from bullmq.job');
  },
};

const redisAt = (redisUrl: string): QueueBackend => ({
  backend: 'redis',
  redisUrl,
  async empty({ redisPrefix }) {
    const redis = new Redis(redisUrl);
    const keys = await redis.keys(`${redisPrefix}:*`);
    if (keys.length > 0) await redis.del(keys);
    redis.disconnect();
  },
});

/** The queues that tests run on: Postgres always, Redis when TEST_REDIS_URL names one. */
export function queueBackends(): QueueBackend[] {
  const redisUrl = process.env['TEST_REDIS_URL'];
  if (redisUrl) return [POSTGRES, redisAt(redisUrl)];
  process.stderr.write('TEST_REDIS_URL is not set: the engine is tested on its Postgres queue alone\n');
  return [POSTGRES];
}
