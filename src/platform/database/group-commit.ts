import { setTimeout as pause } from 'node:timers/promises';
import { isWrongValue } from '../wrong-value.js';

/*
 * Group commit. While a statement runs, new rows wait; the next statement writes all of them. A single writer does not
 * wait. Under load one commit carries many rows; insert by insert the same database takes a quarter as many. Rows with
 * `canWait` start no statement of their own but go with the next one. `restMs` makes groups larger where rows may be
 * late.
 *
 * A row with a value that Postgres refuses fails alone: the failed group is written again in halves until the row is
 * alone. `write` must therefore be one statement or one transaction, so that a failed group leaves nothing behind.
 */

/** Rows of one statement: more would make statements long. */
const MAX_ROWS = 500;

/** Rows that can wait are written after this time when no other row starts a statement. */
const LINGER_MS = 5;

interface Waiting<Row> {
  readonly row: Row;
  readonly canWait: boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupCommit<Row> {
  private waiting: Waiting<Row>[] = [];
  private writing: Promise<void> | null = null;
  private lingering: NodeJS.Timeout | null = null;

  /**
   * @param restMs pause in milliseconds after a group with more than one row that could not wait, unless the next group
   *   is full; for writers that tolerate a short delay
   */
  constructor(
    private readonly write: (rows: Row[]) => Promise<void>,
    private readonly restMs = 0,
  ) {}

  /**
   * Resolves when the row is committed; rejects when that failed.
   * @param canWait whether the row may wait a moment for others
   */
  add(row: Row, canWait = false): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ row, canWait, resolve, reject });
      if (!canWait) this.begin();
      else if (!this.writing) this.lingering ??= setTimeout(() => this.begin(), LINGER_MS);
    });
  }

  /** Waits until everything that was added is written. */
  async drain(): Promise<void> {
    if (this.waiting.length > 0) this.begin();
    while (this.writing) await this.writing;
  }

  private begin(): void {
    if (this.lingering) clearTimeout(this.lingering);
    this.lingering = null;
    this.writing ??= this.writeAll();
  }

  private async writeAll(): Promise<void> {
    // One turn of the event loop, so that writers of the same turn share a statement.
    await new Promise(setImmediate);
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, MAX_ROWS);
      await this.writeGroup(group);
      const waited = group.filter(({ canWait }) => !canWait).length;
      if (this.restMs > 0 && waited > 1 && this.waiting.length < MAX_ROWS) await pause(this.restMs);
    }
    this.writing = null;
  }

  private async writeGroup(group: readonly Waiting<Row>[]): Promise<void> {
    try {
      await this.write(group.map(({ row }) => row));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || !isWrongValue(error)) {
        for (const { reject } of group) reject(error);
        return;
      }
      const middle = Math.ceil(group.length / 2);
      await this.writeGroup(group.slice(0, middle));
      await this.writeGroup(group.slice(middle));
    }
  }
}
