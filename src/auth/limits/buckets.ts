import { Redis } from 'ioredis';
import { type LRUCache } from 'lru-cache';
import { type Logger } from 'pino';
import { type Clock } from '../../platform/clock.js';
import { type GatewayConfig } from '../../platform/config.js';
import { OptionalRedis } from '../../platform/database/optional-redis.js';
import { TokenBucket, waitFor, type BucketPolicy } from './token-bucket.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Token buckets in this process, or in Redis, where all replicas share them. While Redis is unavailable each replica
 * counts for itself: limits are then wider, and no caller waits or fails because of it.
 */

export interface TakenTokens {
  /** The tokens taken; 0: refused. */
  readonly granted: number;
  readonly left: number;
  /** When refused: milliseconds until it would be granted. */
  readonly waitMs: number;
}

export abstract class Buckets {
  /**
   * Takes tokens.
   * @param need the least to take; when it is more than half of the bucket, it is granted from half full on
   * @param want how many to take when available
   */
  abstract take(name: string, policy: BucketPolicy, need: number, want?: number): Promise<TakenTokens>;

  /** Puts tokens back. */
  abstract give(name: string, policy: BucketPolicy, tokens: number): Promise<void>;

  abstract close(): Promise<void>;
}

/** The least recently used bucket is dropped beyond this number. */
const MEMORY_SIZE = 50_000;

export class MemoryBuckets extends Buckets {
  private readonly buckets: LRUCache<string, TokenBucket>;

  constructor(
    private readonly clock: Clock,
    max = MEMORY_SIZE,
  ) {
    super();
    this.buckets = boundedCache(max);
  }

  async take(name: string, policy: BucketPolicy, need: number, want = need): Promise<TakenTokens> {
    const bucket = this.find(name, policy);
    const waitMs = bucket.wait(need, this.clock.nowMs());
    if (waitMs > 0) return { granted: 0, left: bucket.tokens, waitMs };
    const granted = Math.max(need, Math.min(want, Math.floor(bucket.tokens)));
    bucket.take(granted);
    return { granted, left: bucket.tokens, waitMs: 0 };
  }

  async give(name: string, policy: BucketPolicy, tokens: number): Promise<void> {
    this.find(name, policy).take(-tokens);
  }

  async close(): Promise<void> {
    this.buckets.clear();
  }

  private find(name: string, policy: BucketPolicy): TokenBucket {
    let bucket = this.buckets.get(name);
    if (!bucket) this.buckets.set(name, (bucket = new TokenBucket(policy, this.clock.nowMs())));
    return bucket;
  }
}

/** ARGV: capacity, tokens per ms, need, want; negative need and want put tokens back. Uses Redis's clock. */
const TAKE = `
  local capacity, pace, need, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local kept = redis.call('hmget', KEYS[1], 'tokens', 'at')
  local tokens = tonumber(kept[1]) or capacity
  tokens = math.min(capacity, tokens + math.max(0, now - (tonumber(kept[2]) or now)) * pace)
  local granted = 0
  if need < 0 then tokens = math.min(capacity, tokens - need)
  elseif tokens >= math.min(need, math.max(1, capacity / 2)) then
    granted = math.max(need, math.min(want, math.floor(tokens)))
    tokens = tokens - granted
  end
  redis.call('hset', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('pexpire', KEYS[1], math.ceil((capacity - tokens) / pace) + 1000)
  return {granted, string.format('%.6f', tokens)}`;

const COMMAND_MS = 1_000;
const RECONNECT_MS = 2_000;

export class RedisBuckets extends Buckets {
  private readonly redis: Redis;
  private readonly local: MemoryBuckets;
  private readonly optional: OptionalRedis;

  /** @param prefix of every key, in braces, so that a cluster stores all keys in one hash slot */
  constructor(
    url: string,
    private readonly prefix: string,
    clock: Clock,
    log: Logger,
  ) {
    super();
    this.local = new MemoryBuckets(clock);
    this.redis = new Redis(url, {
      commandTimeout: COMMAND_MS,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(times * 200, RECONNECT_MS),
    });
    this.optional = new OptionalRedis(this.redis, log, {
      away: 'Redis is unavailable: this replica counts its limits alone',
      back: 'Limits are shared through Redis again',
    });
  }

  async take(name: string, policy: BucketPolicy, need: number, want = need): Promise<TakenTokens> {
    const answer = await this.run(name, policy, need, want);
    if (!answer) return this.local.take(name, policy, need, want);
    const [granted, left] = [answer[0], Number(answer[1])];
    return { granted, left, waitMs: granted > 0 ? 0 : Math.max(1, waitFor(left, policy, need)) };
  }

  async give(name: string, policy: BucketPolicy, tokens: number): Promise<void> {
    if (!(await this.run(name, policy, -tokens, -tokens))) await this.local.give(name, policy, tokens);
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }

  /** @returns null while Redis does not answer, which is logged once and hidden from the caller */
  private run(name: string, { capacity, windowMs }: BucketPolicy, need: number, want: number) {
    const key = `{${this.prefix}}:limit:${name}`;
    const take = () => this.redis.eval(TAKE, 1, key, capacity, capacity / windowMs, need, want);
    return this.optional.ask(take as () => Promise<[granted: number, left: string]>);
  }
}

export function openBuckets(
  { REDIS_URL, REDIS_PREFIX }: Pick<GatewayConfig, 'REDIS_URL' | 'REDIS_PREFIX'>,
  clock: Clock,
  log: Logger,
): Buckets {
  return REDIS_URL ? new RedisBuckets(REDIS_URL, REDIS_PREFIX, clock, log) : new MemoryBuckets(clock);
}
