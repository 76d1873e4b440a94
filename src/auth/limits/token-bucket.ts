/*
 * Token buckets: a bucket holds at most `capacity` tokens and refills at a constant rate; each action costs tokens. A
 * large action, even larger than the bucket, is allowed when the bucket is half full, and leaves it negative. Otherwise
 * constant small actions would block it for ever. Pure.
 */

export interface BucketPolicy {
  readonly capacity: number;
  /** Milliseconds in which an empty bucket refills. */
  readonly windowMs: number;
}

export class TokenBucket {
  /** At the last call of `wait`. Negative after a large action. */
  tokens: number;

  constructor(
    private readonly policy: BucketPolicy,
    private filledAt: number,
  ) {
    this.tokens = policy.capacity;
  }

  /** Whole tokens, not below 0. */
  get left(): number {
    return Math.max(0, Math.floor(this.tokens));
  }

  wait(cost: number, nowMs: number): number {
    const { capacity, windowMs } = this.policy;
    if (nowMs > this.filledAt) {
      this.tokens = Math.min(capacity, this.tokens + ((nowMs - this.filledAt) * capacity) / windowMs);
      this.filledAt = nowMs;
    }
    return waitFor(this.tokens, this.policy, cost);
  }

  /** A negative cost puts tokens back. */
  take(cost: number): void {
    this.tokens = Math.min(this.policy.capacity, this.tokens - cost);
  }
}

/** Milliseconds until a bucket with these tokens can pay this cost; 0: now. */
export function waitFor(tokens: number, { capacity, windowMs }: BucketPolicy, cost: number): number {
  const missing = Math.min(cost, Math.max(1, capacity / 2)) - tokens;
  return missing <= 0 ? 0 : Math.ceil((missing * windowMs) / capacity);
}
