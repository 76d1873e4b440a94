import { AppError } from '../errors.js';
import { KeyedSlots, type SlotLimits } from './keyed-slots.js';

/*
 * Slots by key, for which callers wait in turn. Keys are served round-robin, so that a key with a hundred waiting requests
 * does not delay the one of another key. The number of waiting requests, and their wait, have limits where they are given.
 */

export interface QueueLimits extends SlotLimits {
  /** The most waiting requests of one key. Absent: the caller bounds them, as `AnonymousRequests` does. */
  readonly waitingPerKey?: number;
  /** The most waiting requests of all keys. */
  readonly waitingTotal?: number;
}

export interface Wait {
  /** The longest wait. Absent: until its turn. */
  readonly waitMs?: number;
  /** Ends the wait, when the caller has left. */
  readonly gone?: AbortSignal | undefined;
}

interface Waiter {
  readonly gone: AbortSignal | undefined;
  readonly timer: NodeJS.Timeout | undefined;
  readonly giveUp: () => void;
  readonly resolve: (release: (() => void) | null) => void;
}

export class SlotQueue {
  private readonly slots: KeyedSlots;
  /** Waiting requests by key, the next key to serve first. */
  private readonly waiting = new Map<string, Waiter[]>();
  private waitingCount = 0;

  /** @param refusal what `run` throws when too many wait, or the wait was too long */
  constructor(
    private readonly limits: QueueLimits,
    private readonly refusal = () => new AppError('too_many_requests_at_once', { limit: limits.perKey }),
  ) {
    this.slots = new KeyedSlots(limits);
  }

  /**
   * Does work in turn.
   * @param key who is counted, such as an operator, or the source of a request without a caller
   * @throws AppError the refusal, or `request_aborted` when the caller has left; errors of `work`
   */
  async run<Result>(key: string, work: () => Promise<Result>, wait: Wait = {}): Promise<Result> {
    const release = await this.take(key, wait);
    if (!release) throw wait.gone?.aborted ? new AppError('request_aborted') : this.refusal();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * Takes a slot, in turn.
   * @returns releases it, once; null: too many wait, the wait was too long, or the caller has left
   */
  async take(key: string, { waitMs, gone }: Wait = {}): Promise<(() => void) | null> {
    if (gone?.aborted) return null;
    const queue = this.waiting.get(key);
    const release = queue ? null : this.slots.take(key);
    if (release) return this.passingOn(release);
    const { waitingPerKey = Infinity, waitingTotal = Infinity } = this.limits;
    if ((queue?.length ?? 0) >= waitingPerKey || this.waitingCount >= waitingTotal) return null;
    return new Promise((resolve) => {
      const giveUp = () => this.giveUp(key, waiter);
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const waiter: Waiter = { timer, gone, giveUp, resolve };
      gone?.addEventListener('abort', giveUp);
      this.waitingCount++;
      if (queue) queue.push(waiter);
      else this.waiting.set(key, [waiter]);
    });
  }

  /** Releases a slot, and gives it to the next request. */
  private passingOn(release: () => void): () => void {
    return () => {
      release();
      this.serve();
    };
  }

  /** One release can free one slot, and the one that was left for a key without any. */
  private serve(): void {
    for (const [key, queue] of this.waiting) {
      const release = this.slots.take(key);
      if (!release) continue;
      const next = queue.shift()!;
      this.waiting.delete(key);
      if (queue.length > 0) this.waiting.set(key, queue); // to the end: the other keys come first
      this.forget(next);
      next.resolve(this.passingOn(release));
    }
  }

  private giveUp(key: string, waiter: Waiter): void {
    const queue = this.waiting.get(key)!;
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.waiting.delete(key);
    this.forget(waiter);
    waiter.resolve(null);
  }

  private forget({ timer, gone, giveUp }: Waiter): void {
    this.waitingCount--;
    clearTimeout(timer);
    gone?.removeEventListener('abort', giveUp);
  }
}
