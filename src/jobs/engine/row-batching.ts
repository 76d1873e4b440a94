import { Batching } from '../../database/batching.js';
import { isWrongValue } from '../../platform/wrong-value.js';

/** How long a claim or save waits for more of them, while others run. */
const PAUSE_BETWEEN_BATCHES_MS = 20;

/**
 * Runs a batch. The result of an item is undefined when it has none, or when another process has locked its row and
 * `waitForLocks` is false.
 */
export type RunBatch<Item, Result> = (items: readonly Item[], waitForLocks: boolean) => Promise<(Result | undefined)[]>;

/**
 * Batches work on rows so that no item delays the others: a batch skips locked rows. An item without a result runs again
 * alone and waits for the lock. A value that Postgres refuses fails a batch, so all its items run again alone.
 */
export class RowBatching<Item, Result> {
  private readonly batch = new Batching<Item, Result | undefined>(
    (all) => this.runBatch(all),
    PAUSE_BETWEEN_BATCHES_MS,
  );

  constructor(private readonly runAll: RunBatch<Item, Result>) {}

  /** @returns undefined when there is no result, even after waiting for the lock */
  async run(item: Item): Promise<Result | undefined> {
    return (await this.batch.add(item)) ?? this.runAlone(item);
  }

  async runAlone(item: Item): Promise<Result | undefined> {
    const [result] = await this.runAll([item], true);
    return result;
  }

  private async runBatch(items: readonly Item[]): Promise<(Result | undefined)[]> {
    try {
      return await this.runAll(items, false);
    } catch (error) {
      if (items.length === 1 || !isWrongValue(error)) throw error;
      return [];
    }
  }
}
