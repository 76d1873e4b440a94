import { Redis, type RedisOptions } from 'ioredis';

/*
 * The atomic operations of replicas on shared sessions, as scripts of Redis. The lock of an account contains the id of
 * its holder (one attempt to get a session), with a plus when a replica waits. Only the holder may renew it, store a
 * session or release it.
 *
 * Operations of one moment go to Redis in one pipeline: 10,000 jobs that log in send some 30,000 of them.
 */

/** Ends the script when ARGV[1] does not hold the lock. */
const REQUIRE_HOLDER = `
  local value = redis.call('get', KEYS[2]) or ''
  if string.sub(value, 1, #ARGV[1]) ~= ARGV[1] then return 0 end`;

/** Publishes only when a replica waits: otherwise every replica would read it for nothing. */
const UNLOCK = `
  redis.call('del', KEYS[2])
  if value ~= ARGV[1] then redis.call('publish', ARGV[2], KEYS[2]) end
  return 1`;

const REQUIRE_SESSION = `
  if redis.call('hget', KEYS[1], 'id') ~= ARGV[1] then return 0 end`;

/** Those with two keys get a session and the lock of its account. */
const SCRIPTS = {
  takeSession: {
    numberOfKeys: 2,
    lua: `
      local id = redis.call('hget', KEYS[1], 'id')
      if id and id ~= ARGV[3] then return {'session', id, redis.call('hget', KEYS[1], 'sealed')} end
      if redis.call('set', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return {'locked'} end
      if string.sub(redis.call('get', KEYS[2]), -1) ~= '+' then redis.call('append', KEYS[2], '+') end
      return {'wait', redis.call('pttl', KEYS[2])}`,
  },
  renewLock: { numberOfKeys: 2, lua: `${REQUIRE_HOLDER} return redis.call('pexpire', KEYS[2], ARGV[2])` },
  storeSession: {
    numberOfKeys: 2,
    lua: `${REQUIRE_HOLDER}
      redis.call('hset', KEYS[1], 'id', ARGV[3], 'sealed', ARGV[4])
      redis.call('pexpire', KEYS[1], ARGV[5])
      ${UNLOCK}`,
  },
  releaseLock: { numberOfKeys: 2, lua: `${REQUIRE_HOLDER} ${UNLOCK}` },
  prolongSession: {
    numberOfKeys: 2,
    lua: `${REQUIRE_SESSION}
      redis.call('hset', KEYS[1], 'sealed', ARGV[2])
      return redis.call('pexpire', KEYS[1], ARGV[3])`,
  },
  forgetSession: { numberOfKeys: 2, lua: `${REQUIRE_SESSION} return redis.call('del', KEYS[1])` },
  countLogin: {
    numberOfKeys: 1,
    lua: `redis.call('incr', KEYS[1]) return redis.call('expire', KEYS[1], ARGV[1])`,
  },
  reportReplica: {
    numberOfKeys: 1,
    lua: `return redis.call('zadd', KEYS[1], redis.call('time')[1] * 1000, ARGV[1])`,
  },
  removeReplica: {
    numberOfKeys: 1,
    lua: `
      redis.call('zrem', KEYS[1], ARGV[1])
      redis.call('zremrangebyscore', KEYS[1], '-inf', redis.call('time')[1] * 1000 - ARGV[2])
      return redis.call('zcard', KEYS[1])`,
  },
};

/** The keys of a session and of the lock of its account. */
export type SessionKeys = readonly [session: string, lock: string];

/** The answer of `takeSession`: `session`, its id and the sealed session; `locked`; or `wait` and milliseconds. */
type TakeAnswer = readonly [says: Buffer, idOrMs?: Buffer | number, sealed?: Buffer];

/** Those that return a number give 0 when the lock has another holder, or the session has changed. */
interface SessionCommands {
  /** Returns a session unless it is the unwanted one; or gives the lock to `holder`; or tells how long to wait. */
  takeSessionBuffer(
    ...args: [...keys: SessionKeys, holder: string, lockMs: number, unwantedId: string]
  ): Promise<TakeAnswer>;
  renewLock(...args: [...keys: SessionKeys, holder: string, lockMs: number]): Promise<number>;
  storeSession(
    ...args: [...keys: SessionKeys, holder: string, channel: string, id: string, sealed: Buffer, livesMs: number]
  ): Promise<number>;
  releaseLock(...args: [...keys: SessionKeys, holder: string, channel: string]): Promise<number>;
  prolongSession(...args: [...keys: SessionKeys, id: string, sealed: Buffer, livesMs: number]): Promise<number>;
  forgetSession(...args: [...keys: SessionKeys, id: string]): Promise<number>;
  countLogin(key: string, storedSeconds: number): Promise<number>;
  reportReplica(replicas: string, replica: string): Promise<number>;
  /** @returns the number of other replicas; one without a report for `goneMs` is none */
  removeReplica(replicas: string, replica: string, goneMs: number): Promise<number>;
}

export type SessionRedis = Redis & SessionCommands;

export function openSessionRedis(url: string, options: Omit<RedisOptions, 'replyMapping'>): SessionRedis {
  return new Redis(url, { ...options, enableAutoPipelining: true, scripts: SCRIPTS }) as SessionRedis;
}
