import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { type Logger } from 'pino';
import { type Actor } from '../../platform/actor.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { OptionalRedis } from '../../database/optional-redis.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { type ParentProcess } from '../../processes/parent-process.js';
import { type Principal } from '../access/access.js';
import { Buckets, grantInRedis, SharedMeter, TokenBucket } from '../../platform/limits/token-bucket.js';
import { type BucketPolicy, type TakenTokens } from '../../platform/limits/token-bucket.js';

type SetHeader = (name: string, value: string) => void;

/** Buckets in Redis, for all replicas. While it is unavailable each one counts alone: limits are wider, and no caller waits. */
export class RedisBuckets extends Buckets {
  override readonly isShared = true;
  private readonly redis: Redis;
  private readonly optional: OptionalRedis;

  /** @param prefix of every key, in braces, so that a cluster stores all keys in one hash slot */
  constructor(
    url: string,
    private readonly prefix: string,
    clock: Clock,
    log: Logger,
  ) {
    super(clock);
    const retryStrategy = (times: number) => Math.min(times * 200, 2_000);
    this.redis = new Redis(url, { commandTimeout: 1_000, maxRetriesPerRequest: 0, retryStrategy });
    const away = 'Redis is unavailable: this replica counts its limits alone';
    this.optional = new OptionalRedis(this.redis, log, { away, back: 'Limits are shared through Redis again' });
  }

  override async take(name: string, policy: BucketPolicy, need: number, want = need): Promise<TakenTokens> {
    const key = `{${this.prefix}}:limit:${name}`;
    const taken = await this.optional.ask(() => grantInRedis(this.redis, key, policy, need, want));
    return taken ?? super.take(name, policy, need, want);
  }

  override async close(): Promise<void> {
    this.redis.disconnect();
  }
}

/** Buckets in the parent, for all processes of the machine. */
export class MachineBuckets extends Buckets {
  override readonly isShared = true;
  private readonly shared: Pick<Buckets, 'take'>;

  constructor(parent: ParentProcess, clock: Clock) {
    super(clock);
    this.shared = parent.peer.remote('buckets') as Pick<Buckets, 'take'>;
  }

  override take(name: string, policy: BucketPolicy, need: number, want = need): Promise<TakenTokens> {
    return this.shared.take(name, policy, need, want);
  }
}

interface Limit {
  readonly name: 'key' | 'operator';
  readonly meter: TokenBucket | SharedMeter;
  readonly perMinute: number;
}

/**
 * Rate limits of keys and operators. A request costs one token of both buckets, a fan-out one for each device. The answer
 * has the fields of draft-ietf-httpapi-ratelimit-headers-10: q and w are the quota and its window in seconds, r the tokens
 * left, t the seconds until the bucket is full.
 */
@Injectable()
export class RateLimits {
  private readonly limits = boundedCache<string, Limit>(20_000);

  constructor(
    @Inject(Buckets) private readonly buckets: Buckets,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /**
   * Charges a request and reports the tokens left. It returns a promise only when replicas share their limits and this
   * one must ask.
   * @param actor one without an operator, such as the gateway itself, has no limits
   * @param cost the number of affected devices; 1 for a request without devices
   * @throws AppError `rate_limited`, at once or by the promise
   */
  take(actor: Actor, cost = 1, setHeader?: SetHeader): Promise<void> | undefined {
    const { keyId, operatorId, callsPerMinute } = actor as Partial<Principal>;
    if (operatorId === undefined) return undefined;
    const nowMs = this.clock.nowMs();
    const limits = [
      keyId ? this.find('key', keyId, callsPerMinute ?? this.config.RATE_LIMIT_KEY, nowMs) : null,
      this.find('operator', operatorId, this.config.RATE_LIMIT_OPERATOR, nowMs),
    ].filter((limit) => limit !== null);
    const waits = limits.map(({ meter }) => meter.wait(cost, nowMs));
    if (waits.every((wait) => typeof wait === 'number')) return this.settle(limits, waits, cost, setHeader);
    const all = Promise.all(waits.map((wait) => Promise.resolve(wait)));
    return all.then((numbers) => this.settle(limits, numbers, cost, setHeader));
  }

  private find(name: Limit['name'], id: string, perMinute: number, nowMs: number): Limit | null {
    if (perMinute === 0) return null;
    const known = this.limits.get(id);
    if (known?.perMinute === perMinute) return known;
    const policy = { capacity: perMinute, windowMs: 60_000 };
    const request = (need: number, want: number) => this.buckets.take(`calls:${id}`, policy, need, want);
    const meter = this.buckets.isShared ? new SharedMeter(policy, request) : new TokenBucket(policy, nowMs);
    const limit: Limit = { name, meter, perMinute };
    this.limits.set(id, limit);
    return limit;
  }

  private settle(limits: Limit[], waits: number[], cost: number, setHeader?: SetHeader): undefined {
    const waitMs = Math.max(0, ...waits);
    if (waitMs === 0) for (const { meter } of limits) meter.take(cost);
    if (limits.length > 0) {
      setHeader?.('ratelimit-policy', limits.map(({ name, perMinute }) => `"${name}";q=${perMinute};w=60`).join(', '));
      setHeader?.('ratelimit', limits.map(leftOf).join(', '));
    }
    if (waitMs === 0) return undefined;
    const limit = limits[waits.indexOf(waitMs)]!.name;
    this.metrics.refusedByLimit.inc({ limit });
    throw new AppError('rate_limited', { limit, cost, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }
}

function leftOf({ name, meter: { left }, perMinute }: Limit): string {
  return `"${name}";r=${left};t=${Math.max(0, Math.ceil(((perMinute - left) * 60) / perMinute))}`;
}
