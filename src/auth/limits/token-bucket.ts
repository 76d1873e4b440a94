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

export interface Bucket {
  /** Negative after a large action. */
  tokens: number;
  /** The time of `tokens`, in milliseconds since 1970. */
  at: number;
}

export const fullBucket = ({ capacity }: BucketPolicy, nowMs: number): Bucket => ({ tokens: capacity, at: nowMs });

export function refill(bucket: Bucket, { capacity, windowMs }: BucketPolicy, nowMs: number): void {
  if (nowMs > bucket.at) {
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.at) * capacity) / windowMs);
    bucket.at = nowMs;
  }
}

/** Milliseconds until the bucket can pay this cost; 0: now. */
export function waitFor(tokens: number, { capacity, windowMs }: BucketPolicy, cost: number): number {
  const missing = Math.min(cost, Math.max(1, capacity / 2)) - tokens;
  return missing <= 0 ? 0 : Math.ceil((missing * windowMs) / capacity);
}
