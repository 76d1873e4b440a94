import { setTimeout as pause } from 'node:timers/promises';
import { isWrongValue } from '../platform/wrong-value.js';

/** Items of one statement: more would make statements long. */
const MAX_ITEMS = 500;

/** Items that can wait run after this time when no other item starts a statement. */
const LINGER_MS = 5;

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly canWait: boolean;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Many callers share one statement and its commit. While a statement runs, new items wait; the next statement takes all
 * of them. A single caller does not wait. Under load one commit carries many rows; insert by insert the same database takes
 * a quarter as many. Items with `canWait` start no statement of their own but go with the next one. `restMs` makes batches
 * larger where items may be late.
 *
 * An item with a value that Postgres refuses fails alone: the failed batch runs again in halves until the item is alone. A
 * batch must therefore be one statement or one transaction, so that a failed batch leaves nothing behind.
 */
export class Batching<Item, Result = void> {
  private waiting: WaitingItem<Item, Result>[] = [];
  private running: Promise<void> | null = null;
  private lingering: NodeJS.Timeout | null = null;

  /**
   * @param run runs a batch; its results are in the order of the items
   * @param restMs pause in milliseconds after a batch with more than one item that could not wait, unless the next batch
   *   is full; for callers that tolerate a short delay
   */
  constructor(
    private readonly run: (
      items: Item[],
    ) => Promise<void extends Result ? void | readonly Result[] : readonly Result[]>,
    private readonly restMs = 0,
  ) {}

  /** Resolves at the commit; rejects without one. @param canWait whether it may wait a moment for others */
  add(item: Item, canWait = false): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, canWait, resolve, reject });
      if (!canWait) this.begin();
      else if (!this.running) this.lingering ??= setTimeout(() => this.begin(), LINGER_MS);
    });
  }

  /** Waits until everything that was added has run. */
  async drain(): Promise<void> {
    if (this.waiting.length > 0) this.begin();
    while (this.running) await this.running;
  }

  private begin(): void {
    if (this.lingering) clearTimeout(this.lingering);
    this.lingering = null;
    this.running ??= this.runAll();
  }

  private async runAll(): Promise<void> {
    // One turn of the event loop, so that callers of the same turn share a statement.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MAX_ITEMS);
      await this.runBatch(batch);
      const waited = batch.filter(({ canWait }) => !canWait).length;
      if (this.restMs > 0 && waited > 1 && this.waiting.length < MAX_ITEMS) await pause(this.restMs);
    }
    this.running = null;
  }

  private async runBatch(batch: readonly WaitingItem<Item, Result>[]): Promise<void> {
    try {
      const results = (await this.run(batch.map(({ item }) => item))) as readonly Result[] | undefined;
      for (const [index, { resolve }] of batch.entries()) resolve(results?.[index] as Result);
    } catch (error) {
      if (batch.length === 1 || !isWrongValue(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.runBatch(batch.slice(0, middle));
      await this.runBatch(batch.slice(middle));
    }
  }
}
