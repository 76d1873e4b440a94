import { type ParentProcess } from './parent-process.js';

/*
 * Limits that hold across the processes of one machine: how often something named may be under way at once. The parent has
 * the counts. A process without a parent has its own.
 */

/** A longer wait asks again after this time, so that one whose caller has left ends soon. */
const ASK_AGAIN_MS = 1_000;

interface Waiter {
  readonly holder: string;
  readonly limit: number;
  resolve(isGranted: boolean): void;
}

interface Count {
  /** Who holds the permits, one entry for each. */
  readonly holders: string[];
  readonly waiting: Waiter[];
}

/** What a process asks of the counts. A holder is a process. */
interface PermitCounts {
  take(holder: string, name: string, limit: number, withinMs: number): Promise<boolean>;
  give(holder: string, name: string): Promise<void>;
}

/** The permits of this process, among all processes of the machine. */
export class Permits {
  /** Whether other processes take of the same counts. */
  readonly isShared: boolean;
  private readonly counts: PermitCounts;
  private readonly holder: string;

  constructor(parent: ParentProcess | null) {
    this.isShared = parent !== null;
    this.holder = parent?.task.id ?? 'alone';
    this.counts = parent ? (parent.peer.remote('permits') as PermitCounts) : new PermitTable();
  }

  /**
   * Takes one of `limit` permits.
   * @returns gives it back; null: all are taken
   */
  async take(name: string, limit: number): Promise<(() => void) | null> {
    return (await this.counts.take(this.holder, name, limit, 0)) ? this.giver(name) : null;
  }

  /**
   * Waits for one of `limit` permits.
   * @param isOver whether the caller waits no more
   * @returns gives it back; null: the wait was too long, or is over
   */
  async wait(name: string, limit: number, withinMs: number, isOver: () => boolean): Promise<(() => void) | null> {
    const until = performance.now() + withinMs;
    for (let leftMs = withinMs; leftMs > 0 && !isOver(); leftMs = until - performance.now()) {
      if (await this.counts.take(this.holder, name, limit, Math.min(leftMs, ASK_AGAIN_MS))) return this.giver(name);
    }
    return null;
  }

  private giver(name: string): () => void {
    return () => void this.counts.give(this.holder, name);
  }
}

/** The counts themselves. */
export class PermitTable implements PermitCounts {
  private readonly counts = new Map<string, Count>();

  /**
   * Takes a permit.
   * @param limit how many there may be at once, this one included
   * @param withinMs the longest wait for others to give theirs back; 0: none
   * @returns whether it is taken
   */
  take(holder: string, name: string, limit: number, withinMs: number): Promise<boolean> {
    let count = this.counts.get(name);
    if (!count) this.counts.set(name, (count = { holders: [], waiting: [] }));
    if (count.holders.length < limit) {
      count.holders.push(holder);
      return Promise.resolve(true);
    }
    if (withinMs === 0) return Promise.resolve(false);
    const { waiting } = count;
    return new Promise((resolve) => {
      const waiter: Waiter = { holder, limit, resolve };
      waiting.push(waiter);
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1);
        resolve(false);
      }, withinMs);
      waiter.resolve = (isGranted) => {
        clearTimeout(late);
        resolve(isGranted);
      };
    });
  }

  /** Gives one back; of those that ask now, whoever asked first gets it. */
  async give(holder: string, name: string): Promise<void> {
    const count = this.counts.get(name);
    const index = count?.holders.indexOf(holder) ?? -1;
    if (!count || index < 0) return;
    count.holders.splice(index, 1);
    this.next(name, count);
  }

  /** A process has ended: all that it held is free. */
  leave(holder: string): void {
    for (const [name, count] of this.counts) {
      const { holders, waiting } = count;
      for (const waiter of waiting.filter((one) => one.holder === holder)) {
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.resolve(false);
      }
      holders.splice(0, holders.length, ...holders.filter((one) => one !== holder));
      this.next(name, count);
    }
  }

  private next(name: string, { holders, waiting }: Count): void {
    for (let index = 0; index < waiting.length;) {
      const waiter = waiting[index]!;
      if (holders.length >= waiter.limit) index++;
      else {
        waiting.splice(index, 1);
        holders.push(waiter.holder);
        waiter.resolve(true);
      }
    }
    if (holders.length === 0 && waiting.length === 0) this.counts.delete(name);
  }
}
