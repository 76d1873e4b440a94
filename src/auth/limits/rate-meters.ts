import { type Buckets } from './buckets.js';
import { fill, fullBucket, waitFor, type Bucket, type BucketPolicy } from './token-bucket.js';

/*
 * How a limit is kept on the hot path, without waiting. One process has its bucket in memory. Replicas take tokens from
 * the bucket that they share in portions (leases), ahead of need, so that only the first call and one that asks for very
 * much wait for the shared bucket.
 */

export interface RateMeter {
  /** What is left, as far as this process knows; not below 0. */
  readonly left: number;
  /** In how many milliseconds `cost` tokens can be taken; 0: they can be taken now. A promise when that must be asked. */
  wait(cost: number, nowMs: number): number | Promise<number>;
  /** Takes tokens, right after `wait` said 0. */
  take(cost: number): void;
}

export class LocalMeter implements RateMeter {
  private readonly bucket: Bucket;

  constructor(
    readonly policy: BucketPolicy,
    nowMs: number,
  ) {
    this.bucket = fullBucket(policy, nowMs);
  }

  get left(): number {
    return Math.max(0, Math.floor(this.bucket.tokens));
  }

  wait(cost: number, nowMs: number): number {
    fill(this.bucket, this.policy, nowMs);
    return waitFor(this.bucket.tokens, this.policy, cost);
  }

  take(cost: number): void {
    this.bucket.tokens -= cost;
  }
}

/** A lease is a hundredth of the bucket: so much can be lost with a replica that stops, or that is idle. */
const LEASES_PER_BUCKET = 100;

/** What was not used by then is not used any more: another replica may have it, through the filling of the bucket. */
const LEASE_MS = 5_000;

export class LeasedMeter implements RateMeter {
  private leased = 0;
  private leaseEndsAt = 0;
  private shared: number;
  private asking: Promise<number> | null = null;
  /** The shared bucket said no until then. */
  private emptyUntil = 0;
  private readonly portion: number;

  constructor(
    private readonly name: string,
    readonly policy: BucketPolicy,
    private readonly buckets: Buckets,
  ) {
    this.shared = policy.capacity;
    this.portion = Math.max(1, Math.floor(policy.capacity / LEASES_PER_BUCKET));
  }

  get left(): number {
    return Math.max(0, Math.floor(this.leased + this.shared));
  }

  wait(cost: number, nowMs: number): number | Promise<number> {
    if (nowMs >= this.leaseEndsAt) this.leased = 0;
    if (this.leased >= cost) {
      // The next portion is fetched while half of this one is left: who takes from it does not wait.
      if (this.leased - cost < this.portion / 2 && nowMs >= this.emptyUntil) void this.ask(1, nowMs).catch(() => 0);
      return 0;
    }
    return this.fetch(cost, nowMs);
  }

  take(cost: number): void {
    this.leased -= cost;
  }

  private async fetch(cost: number, nowMs: number): Promise<number> {
    await this.asking;
    while (this.leased < cost) {
      if (nowMs < this.emptyUntil) return this.emptyUntil - nowMs;
      const waitMs = await this.ask(cost - this.leased, nowMs);
      if (waitMs > 0) return waitMs;
    }
    return 0;
  }

  /** Takes a portion from the shared bucket, `need` at least; one question at a time. */
  private ask(need: number, nowMs: number): Promise<number> {
    this.asking ??= this.lease(need, nowMs).finally(() => (this.asking = null));
    return this.asking;
  }

  private async lease(need: number, nowMs: number): Promise<number> {
    const { granted, left, waitMs } = await this.buckets.take(this.name, this.policy, need, need + this.portion);
    this.shared = left;
    if (granted === 0) {
      this.emptyUntil = nowMs + waitMs;
      return waitMs;
    }
    this.leased += granted;
    this.leaseEndsAt = nowMs + LEASE_MS;
    return 0;
  }
}
