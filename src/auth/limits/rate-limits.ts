import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { type Principal } from '../access/access.js';
import { Buckets } from './buckets.js';
import { LeasedMeter, LocalMeter, type RateMeter } from './rate-meters.js';
import { type BucketPolicy } from './token-bucket.js';

/*
 * How many calls a key and a person may make. A request costs one token of each of both buckets, a fan-out one for each
 * device that it touches. What is left is told in the `RateLimit` and `RateLimit-Policy` fields in the form of
 * draft-ietf-httpapi-ratelimit-headers-10: "key" and "operator" are the names of the two policies, q and w the quota
 * and its window in seconds, r what is left and t in how many seconds the bucket is full again.
 */

const WINDOW_S = 60;

const METERS_MAX = 20_000;

/** Puts a field into the answer. */
export type NoteField = (name: string, value: string) => void;

interface Limit {
  readonly name: 'key' | 'operator';
  readonly meter: RateMeter;
  readonly policy: BucketPolicy;
  /** `"key";q=600000;w=60` */
  readonly policyField: string;
}

@Injectable()
export class RateLimits {
  private readonly limits = new LRUCache<string, Limit>({ max: METERS_MAX });

  constructor(
    @Inject(Buckets) private readonly buckets: Buckets,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  /**
   * Takes the cost of a request of somebody, and tells what is left. There is nothing to wait for unless replicas share
   * their limits and this one must ask.
   * @param actor who is no operator, such as the gateway itself, has no limits
   * @param cost how many devices are touched; 1 for what touches none
   * @throws AppError `rate_limited`, at once or by the promise
   */
  take(actor: Actor, cost = 1, note: NoteField = ignore): Promise<void> | undefined {
    const { keyId, operatorId, callsPerMinute } = actor as Partial<Principal>;
    if (operatorId === undefined) return undefined;
    const nowMs = this.clock.nowMs();
    const byKey = keyId ? this.find('key', keyId, callsPerMinute ?? this.config.RATE_LIMIT_KEY, nowMs) : null;
    const byOperator = this.find('operator', operatorId, this.config.RATE_LIMIT_OPERATOR, nowMs);
    const keyWait = byKey ? byKey.meter.wait(cost, nowMs) : 0;
    const operatorWait = byOperator ? byOperator.meter.wait(cost, nowMs) : 0;
    if (typeof keyWait === 'number' && typeof operatorWait === 'number') {
      this.settle(byKey, keyWait, byOperator, operatorWait, cost, note);
      return undefined;
    }
    return Promise.all([keyWait, operatorWait]).then(([key, operator]) =>
      this.settle(byKey, key, byOperator, operator, cost, note),
    );
  }

  private settle(
    byKey: Limit | null,
    keyWaitMs: number,
    byOperator: Limit | null,
    operatorWaitMs: number,
    cost: number,
    note: NoteField,
  ): void {
    const waitMs = Math.max(keyWaitMs, operatorWaitMs);
    if (waitMs === 0) {
      byKey?.meter.take(cost);
      byOperator?.meter.take(cost);
    }
    tell(byKey, byOperator, note);
    if (waitMs === 0) return;
    const limit = keyWaitMs >= operatorWaitMs ? 'key' : 'operator';
    this.metrics.refusedByLimit.inc({ limit });
    throw new AppError('rate_limited', { limit, cost, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
  }

  /** The limit of a key or a person; null when there is none. */
  private find(name: Limit['name'], id: string, perMinute: number, nowMs: number): Limit | null {
    if (perMinute === 0) return null;
    const known = this.limits.get(id);
    if (known && known.policy.capacity === perMinute) return known;
    const policy = { capacity: perMinute, windowMs: WINDOW_S * 1_000 };
    const meter = this.config.REDIS_URL
      ? new LeasedMeter(`calls:${id}`, policy, this.buckets)
      : new LocalMeter(policy, nowMs);
    const limit: Limit = { name, meter, policy, policyField: `"${name}";q=${perMinute};w=${WINDOW_S}` };
    this.limits.set(id, limit);
    return limit;
  }
}

function ignore(): void {
  // Nobody is told.
}

function tell(byKey: Limit | null, byOperator: Limit | null, note: NoteField): void {
  if (note === ignore) return;
  if (byKey && byOperator) {
    note('ratelimit-policy', `${byKey.policyField}, ${byOperator.policyField}`);
    note('ratelimit', `${leftOf(byKey)}, ${leftOf(byOperator)}`);
    return;
  }
  const only = byKey ?? byOperator;
  if (!only) return;
  note('ratelimit-policy', only.policyField);
  note('ratelimit', leftOf(only));
}

function leftOf({ name, meter, policy }: Limit): string {
  const { left } = meter;
  const fullInS = Math.ceil(((policy.capacity - left) * policy.windowMs) / policy.capacity / 1_000);
  return `"${name}";r=${left};t=${Math.max(0, fullInS)}`;
}
