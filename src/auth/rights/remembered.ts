import { LRUCache } from 'lru-cache';
import { type PgNotifications } from '../../platform/database/pg-notifications.js';

/*
 * What was found a moment ago, by what its holder shows: no digest and no look-up for the next request. It is forgotten
 * when the database says that the row behind it changed; while no such word can arrive, within a second.
 */

/** A row that acts for an operator. */
export interface Owned {
  readonly id: string;
  readonly operatorId: string;
}

/** With notices a row is remembered until it changes; it is looked at again this often all the same. */
const MEMORY_MS = 60_000;

/** Without notices, what was revoked stops working everywhere within this time. */
const MEMORY_UNTOLD_MS = 1_000;

const MEMORY_SIZE = 10_000;

export class Remembered<Row extends Owned> {
  private readonly known = new LRUCache<string, { readonly row: Row; readonly until: number }>({ max: MEMORY_SIZE });
  /** Look-ups under way: all who come with the same meanwhile wait for the same one. */
  private readonly looking = new Map<string, Promise<Row | null>>();
  /** Moves on with each change that is told, so that a row that was read before it is not remembered after it. */
  private generation = 0;

  /** @param look finds the row of what was shown; null when there is none */
  constructor(
    private readonly notices: Pick<PgNotifications, 'isListening'>,
    private readonly look: (shown: string) => Promise<Row | null>,
  ) {}

  /** The row, at once when it is remembered. */
  find(shown: string, nowMs: number): Row | Promise<Row | null> {
    const known = this.known.get(shown);
    if (known && known.until > nowMs) return known.row;
    let looking = this.looking.get(shown);
    if (!looking) {
      looking = this.read(shown, nowMs).finally(() => this.looking.delete(shown));
      this.looking.set(shown, looking);
    }
    return looking;
  }

  /** Forgets the row of this id; all of them with null. */
  forget(id: string | null): void {
    this.forgetWhere((row) => id === null || row.id === id);
  }

  /** Forgets all rows of an operator; all rows with null. */
  forgetOperator(operatorId: string | null): void {
    this.forgetWhere((row) => operatorId === null || row.operatorId === operatorId);
  }

  private forgetWhere(fits: (row: Row) => boolean): void {
    this.generation++;
    // Who asks from now on must not join a look-up that may have read the row before its change.
    this.looking.clear();
    for (const [shown, { row }] of this.known.entries()) if (fits(row)) this.known.delete(shown);
  }

  private async read(shown: string, nowMs: number): Promise<Row | null> {
    const { generation } = this;
    const row = await this.look(shown);
    if (!row || generation !== this.generation) return row;
    const forMs = this.notices.isListening ? MEMORY_MS : MEMORY_UNTOLD_MS;
    this.known.set(shown, { row, until: nowMs + forMs });
    return row;
  }
}
