import { KeyedSlots, type SlotLimits } from './keyed-slots.js';

/*
 * Slots by key, for which callers wait in turn. Keys are served round-robin, so that a key with a hundred waiting requests
 * does not delay the one of another key. The number of waiting requests of a key, and their wait, have limits.
 */

export interface QueueLimits extends SlotLimits {
  /** The most waiting requests of one key. */
  readonly waitingPerKey: number;
}

interface Waiter {
  readonly timer: NodeJS.Timeout;
  readonly gone: AbortSignal | undefined;
  readonly giveUp: () => void;
  readonly resolve: (release: (() => void) | null) => void;
}

export class SlotQueue {
  private readonly slots: KeyedSlots;
  /** Waiting requests by key, the next key to serve first. */
  private readonly waiting = new Map<string, Waiter[]>();

  constructor(private readonly limits: QueueLimits) {
    this.slots = new KeyedSlots(limits);
  }

  /**
   * Takes a slot, in turn.
   * @param key who holds it
   * @param waitMs the longest wait
   * @param gone ends the wait, when the caller has left
   * @returns releases it, once; null: too many of this key wait, the wait was too long, or the caller has left
   */
  async take(key: string, waitMs: number, gone?: AbortSignal): Promise<(() => void) | null> {
    if (gone?.aborted) return null;
    const queue = this.waiting.get(key);
    const release = queue ? null : this.slots.take(key);
    if (release) return this.passingOn(release);
    if ((queue?.length ?? 0) >= this.limits.waitingPerKey) return null;
    return new Promise((resolve) => {
      const giveUp = () => this.giveUp(key, waiter);
      const waiter: Waiter = { timer: setTimeout(giveUp, waitMs), gone, giveUp, resolve };
      gone?.addEventListener('abort', giveUp);
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
      forget(next);
      next.resolve(this.passingOn(release));
    }
  }

  private giveUp(key: string, waiter: Waiter): void {
    const queue = this.waiting.get(key)!;
    queue.splice(queue.indexOf(waiter), 1);
    if (queue.length === 0) this.waiting.delete(key);
    forget(waiter);
    waiter.resolve(null);
  }
}

function forget({ timer, gone, giveUp }: Waiter): void {
  clearTimeout(timer);
  gone?.removeEventListener('abort', giveUp);
}
