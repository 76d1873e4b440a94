import { Inject, Injectable } from '@nestjs/common';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { type Principal } from '../access/access.js';
import { Buckets } from './buckets.js';
import { SharedMeter, type RateMeter } from './rate-meters.js';
import { TokenBucket, type BucketPolicy } from './token-bucket.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * Rate limits of keys and operators. A request costs one token of both buckets, a fan-out one for each device. The
 * answer has the `RateLimit` and `RateLimit-Policy` fields of draft-ietf-httpapi-ratelimit-headers-10. "key" and
 * "operator" are the names of the two policies, q and w the quota and its window in seconds, r the tokens left, t the
 * seconds until the bucket is full.
 */

const WINDOW_S = 60;

const METERS_MAX = 20_000;

export type SetHeader = (name: string, value: string) => void;

interface Limit {
  readonly name: 'key' | 'operator';
  readonly meter: RateMeter;
  readonly policy: BucketPolicy;
  /** Such as `"key";q=600000;w=60`. */
  readonly policyField: string;
}

@Injectable()
export class RateLimits {
  private readonly limits = boundedCache<string, Limit>(METERS_MAX);

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
  take(actor: Actor, cost = 1, setHeader: SetHeader = ignore): Promise<void> | undefined {
    const { keyId, operatorId, callsPerMinute } = actor as Partial<Principal>;
    if (operatorId === undefined) return undefined;
    const nowMs = this.clock.nowMs();
    const byKey = keyId ? this.find('key', keyId, callsPerMinute ?? this.config.RATE_LIMIT_KEY, nowMs) : null;
    const byOperator = this.find('operator', operatorId, this.config.RATE_LIMIT_OPERATOR, nowMs);
    const keyWait = byKey ? byKey.meter.wait(cost, nowMs) : 0;
    const operatorWait = byOperator ? byOperator.meter.wait(cost, nowMs) : 0;
    if (typeof keyWait === 'number' && typeof operatorWait === 'number') {
      this.settle(byKey, keyWait, byOperator, operatorWait, cost, setHeader);
      return undefined;
    }
    return Promise.all([keyWait, operatorWait]).then(([key, operator]) =>
      this.settle(byKey, key, byOperator, operator, cost, setHeader),
    );
  }

  private settle(
    byKey: Limit | null,
    keyWaitMs: number,
    byOperator: Limit | null,
    operatorWaitMs: number,
    cost: number,
    setHeader: SetHeader,
  ): void {
    const waitMs = Math.max(keyWaitMs, operatorWaitMs);
    if (waitMs === 0) {
      byKey?.meter.take(cost);
      byOperator?.meter.take(cost);
    }
    reportLimits(byKey, byOperator, setHeader);
    if (waitMs === 0) return;
    const limit = keyWaitMs >= operatorWaitMs ? 'key' : 'operator';
    this.metrics.refusedByLimit.inc({ limit });
    throw new AppError('rate_limited', { limit, cost, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  private find(name: Limit['name'], id: string, perMinute: number, nowMs: number): Limit | null {
    if (perMinute === 0) return null;
    const known = this.limits.get(id);
    if (known && known.policy.capacity === perMinute) return known;
    const policy = { capacity: perMinute, windowMs: WINDOW_S * 1_000 };
    const meter = this.config.REDIS_URL
      ? new SharedMeter(`calls:${id}`, policy, this.buckets)
      : new TokenBucket(policy, nowMs);
    const limit: Limit = { name, meter, policy, policyField: `"${name}";q=${perMinute};w=${WINDOW_S}` };
    this.limits.set(id, limit);
    return limit;
  }
}

function ignore(): void {
  // The caller of `take` wants no headers.
}

function reportLimits(byKey: Limit | null, byOperator: Limit | null, setHeader: SetHeader): void {
  if (setHeader === ignore) return;
  if (byKey && byOperator) {
    setHeader('ratelimit-policy', `${byKey.policyField}, ${byOperator.policyField}`);
    setHeader('ratelimit', `${leftOf(byKey)}, ${leftOf(byOperator)}`);
    return;
  }
  const only = byKey ?? byOperator;
  if (!only) return;
  setHeader('ratelimit-policy', only.policyField);
  setHeader('ratelimit', leftOf(only));
}

function leftOf({ name, meter, policy }: Limit): string {
  const { left } = meter;
  const fullInS = Math.ceil(((policy.capacity - left) * policy.windowMs) / policy.capacity / 1_000);
  return `"${name}";r=${left};t=${Math.max(0, fullInS)}`;
}
