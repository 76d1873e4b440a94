import { type Buckets } from './buckets.js';
import { type BucketPolicy } from './token-bucket.js';

/*
 * Rate limits without waiting in the hot path. A single process has its bucket in memory. Replicas take tokens from the
 * shared bucket in portions, ahead of need, so that only the first call and very large ones wait for it.
 */

export interface RateMeter {
  /** The tokens left, as far as this process knows; not below 0. */
  readonly left: number;
  /** Milliseconds until `cost` tokens are available; 0: now. A promise when the shared bucket must be asked. */
  wait(cost: number, nowMs: number): number | Promise<number>;
  /** Takes tokens; call it right after `wait` returned 0. */
  take(cost: number): void;
}

/** A portion is a hundredth of the bucket: a replica that stops or idles loses at most this much. */
const PORTIONS_PER_BUCKET = 100;

/** The time after which unused tokens are dropped: the shared bucket may have refilled them for another replica. */
const PORTION_MS = 5_000;

export class SharedMeter implements RateMeter {
  /** The tokens that this process has taken from the shared bucket and not used. */
  private taken = 0;
  private takenUntil = 0;
  private shared: number;
  private pending: Promise<number> | null = null;
  /** The shared bucket is empty until then. */
  private emptyUntil = 0;
  private readonly portion: number;

  constructor(
    private readonly name: string,
    readonly policy: BucketPolicy,
    private readonly buckets: Buckets,
  ) {
    this.shared = policy.capacity;
    this.portion = Math.max(1, Math.floor(policy.capacity / PORTIONS_PER_BUCKET));
  }

  get left(): number {
    return Math.max(0, Math.floor(this.taken + this.shared));
  }

  wait(cost: number, nowMs: number): number | Promise<number> {
    if (nowMs >= this.takenUntil) this.taken = 0;
    if (this.taken >= cost) {
      // The next portion is fetched while half of this one is left, so that callers do not wait.
      if (this.taken - cost < this.portion / 2 && nowMs >= this.emptyUntil)
        void this.requestPortion(1, nowMs).catch(() => 0);
      return 0;
    }
    return this.fetch(cost, nowMs);
  }

  take(cost: number): void {
    this.taken -= cost;
  }

  private async fetch(cost: number, nowMs: number): Promise<number> {
    await this.pending;
    while (this.taken < cost) {
      if (nowMs < this.emptyUntil) return this.emptyUntil - nowMs;
      const waitMs = await this.requestPortion(cost - this.taken, nowMs);
      if (waitMs > 0) return waitMs;
    }
    return 0;
  }

  /** Takes a portion from the shared bucket, at least `need`; one request at a time. */
  private requestPortion(need: number, nowMs: number): Promise<number> {
    this.pending ??= this.takePortion(need, nowMs).finally(() => (this.pending = null));
    return this.pending;
  }

  private async takePortion(need: number, nowMs: number): Promise<number> {
    const { granted, left, waitMs } = await this.buckets.take(this.name, this.policy, need, need + this.portion);
    this.shared = left;
    if (granted === 0) {
      this.emptyUntil = nowMs + waitMs;
      return waitMs;
    }
    this.taken += granted;
    this.takenUntil = nowMs + PORTION_MS;
    return 0;
  }
}
