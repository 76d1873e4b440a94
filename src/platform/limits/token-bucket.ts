import { type Redis } from 'ioredis';
import { type LRUCache } from 'lru-cache';
import { boundedCache } from '../bounded-cache.js';
import { type Clock } from '../clock.js';

/*
 * Token buckets: a bucket holds at most `capacity` tokens and refills at a constant rate; each action costs tokens. A
 * large action, even larger than the bucket, is allowed when the bucket is half full, and leaves it negative. Otherwise
 * constant small actions would block it for ever. The same rule is here twice: for a bucket in memory and for one in Redis.
 */

export interface BucketPolicy {
  readonly capacity: number;
  /** Milliseconds in which an empty bucket refills. */
  readonly windowMs: number;
}

export interface TakenTokens {
  /** The tokens taken; 0: refused. */
  readonly granted: number;
  readonly left: number;
  /** When refused: milliseconds until it would be granted. */
  readonly waitMs: number;
}

export class TokenBucket {
  /** At the last call of `wait`. Negative after a large action. */
  private tokens: number;

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

  /** Takes as many tokens as wanted and there, but at least those needed, or none. Negative numbers put tokens back. */
  grant(need: number, want: number, nowMs: number): TakenTokens {
    const waitMs = this.wait(need, nowMs);
    const granted = waitMs > 0 && need > 0 ? 0 : Math.max(need, Math.min(want, Math.floor(this.tokens)));
    this.take(granted);
    return { granted, left: this.tokens, waitMs };
  }
}

/** Milliseconds until a bucket with these tokens can pay this cost; 0: now. */
function waitFor(tokens: number, { capacity, windowMs }: BucketPolicy, cost: number): number {
  const missing = Math.min(cost, Math.max(1, capacity / 2)) - tokens;
  return missing <= 0 ? 0 : Math.ceil((missing * windowMs) / capacity);
}

/** Token buckets by name, in this process. The least recently used one is dropped beyond `max`. */
export class Buckets {
  /** Whether other processes take of the same buckets. */
  readonly isShared: boolean = false;
  private readonly buckets: LRUCache<string, TokenBucket>;

  constructor(
    private readonly clock: Clock,
    max = 50_000,
  ) {
    this.buckets = boundedCache(max);
  }

  /**
   * Takes tokens.
   * @param need the least to take; when it is more than half of the bucket, it is granted from half full on
   * @param want how many to take when available
   */
  async take(name: string, policy: BucketPolicy, need: number, want = need): Promise<TakenTokens> {
    const nowMs = this.clock.nowMs();
    const bucket = this.buckets.get(name) ?? new TokenBucket(policy, nowMs);
    this.buckets.set(name, bucket);
    return bucket.grant(need, want, nowMs);
  }

  /** Puts tokens back. */
  async give(name: string, policy: BucketPolicy, tokens: number): Promise<void> {
    await this.take(name, policy, -tokens);
  }

  async close(): Promise<void> {
    this.buckets.clear();
  }
}

/** `grant` in Redis, by its clock. ARGV: capacity, tokens per ms, need, want. */
const GRANT = `
  local capacity, pace, need, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
  local time = redis.call('time')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local kept = redis.call('hmget', KEYS[1], 'tokens', 'at')
  local tokens = tonumber(kept[1]) or capacity
  tokens = math.min(capacity, tokens + math.max(0, now - (tonumber(kept[2]) or now)) * pace)
  local granted = 0
  if need < 0 or tokens >= math.min(need, math.max(1, capacity / 2)) then
    granted = math.max(need, math.min(want, math.floor(tokens)))
    tokens = math.min(capacity, tokens - granted)
  end
  redis.call('hset', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', now))
  redis.call('pexpire', KEYS[1], math.ceil((capacity - tokens) / pace) + 1000)
  return {granted, string.format('%.6f', tokens)}`;

/** `TokenBucket.grant` of a bucket that is a key in Redis. */
export async function grantInRedis(redis: Redis, key: string, policy: BucketPolicy, need: number, want: number) {
  const { capacity, windowMs } = policy;
  const answer = await redis.eval(GRANT, 1, key, capacity, capacity / windowMs, need, want);
  const [granted, left] = (answer as [number, string]).map(Number) as [number, number];
  return { granted, left, waitMs: granted > 0 ? 0 : Math.max(1, waitFor(left, policy, need)) };
}

/** A portion is a hundredth of the bucket: a replica that stops or idles loses at most this much. */
const PORTIONS_PER_BUCKET = 100;

/** The time after which unused tokens are dropped: the shared bucket may have refilled them for another replica. */
const PORTION_MS = 5_000;

/** A portion of a shared bucket. It is taken ahead of need, so that only the first call and very large ones wait for it. */
export class SharedMeter {
  /** The tokens that this process has taken from the shared bucket and not used. */
  private taken = 0;
  private takenUntil = 0;
  /** The tokens of the shared bucket when it was last asked. */
  private shared: number;
  /** The shared bucket is empty until then. */
  private emptyUntil = 0;
  private pending: Promise<void> | null = null;
  private readonly portion: number;

  /** @param request takes tokens from the shared bucket, as `grant` does */
  constructor(
    { capacity }: BucketPolicy,
    private readonly request: (need: number, want: number) => Promise<TakenTokens>,
  ) {
    this.shared = capacity;
    this.portion = Math.floor(capacity / PORTIONS_PER_BUCKET); // 0 for a small bucket: nothing is taken ahead and lost
  }

  /** The tokens left, as far as this process knows; not below 0. */
  get left(): number {
    return Math.max(0, Math.floor(this.taken + this.shared));
  }

  /** Milliseconds until `cost` tokens are available; 0: now. A promise when the shared bucket must be asked. */
  wait(cost: number, nowMs: number): number | Promise<number> {
    if (nowMs >= this.takenUntil) this.taken = 0;
    if (this.taken < cost) return this.fetch(cost, nowMs);
    // The next portion is fetched while half of this one is left, so that callers do not wait.
    if (this.taken - cost < this.portion / 2 && nowMs >= this.emptyUntil)
      void this.ask(1, nowMs).catch(() => undefined);
    return 0;
  }

  /** Takes tokens; call it right after `wait` returned 0. */
  take(cost: number): void {
    this.taken -= cost;
  }

  private async fetch(cost: number, nowMs: number): Promise<number> {
    await this.pending;
    while (this.taken < cost && nowMs >= this.emptyUntil) await this.ask(cost - this.taken, nowMs);
    return this.taken < cost ? this.emptyUntil - nowMs : 0;
  }

  /** Takes a portion from the shared bucket, at least `need`; one request at a time. */
  private ask(need: number, nowMs: number): Promise<void> {
    this.pending ??= this.takePortion(need, nowMs).finally(() => (this.pending = null));
    return this.pending;
  }

  private async takePortion(need: number, nowMs: number): Promise<void> {
    const { granted, left, waitMs } = await this.request(need, need + this.portion);
    this.shared = left;
    this.taken += granted;
    if (granted > 0) this.takenUntil = nowMs + PORTION_MS;
    else this.emptyUntil = nowMs + waitMs;
  }
}
