/*
 * Token buckets: a bucket holds at most `capacity` tokens and fills at an even pace; what is done costs tokens. Something
 * large, even larger than the bucket, is done as soon as the bucket is half full, and is paid off afterwards: it would
 * never be done otherwise where small things are done all the time. Pure.
 */

export interface BucketPolicy {
  readonly capacity: number;
  /** In how many milliseconds an empty bucket is full. */
  readonly windowMs: number;
}

export interface Bucket {
  /** Negative while something large is being paid off. */
  tokens: number;
  /** When it held them: milliseconds since the epoch. */
  at: number;
}

export const fullBucket = ({ capacity }: BucketPolicy, nowMs: number): Bucket => ({ tokens: capacity, at: nowMs });

/** Lets time fill a bucket. */
export function fill(bucket: Bucket, { capacity, windowMs }: BucketPolicy, nowMs: number): void {
  if (nowMs > bucket.at) {
    bucket.tokens = Math.min(capacity, bucket.tokens + ((nowMs - bucket.at) * capacity) / windowMs);
    bucket.at = nowMs;
  }
}

/** After how many milliseconds a bucket holds enough for something of this cost; 0: now. */
export function waitFor(tokens: number, { capacity, windowMs }: BucketPolicy, cost: number): number {
  const missing = Math.min(cost, Math.max(1, capacity / 2)) - tokens;
  return missing <= 0 ? 0 : Math.ceil((missing * windowMs) / capacity);
}
