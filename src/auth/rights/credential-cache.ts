import { type PgNotifications } from '../../database/pg-notifications.js';
import { boundedCache } from '../../platform/bounded-cache.js';

/*
 * A bounded cache of rows by the caller's credential: the next request needs no digest and no query. The database
 * notifies of changed rows, which are dropped. Without notifications, rows live for a second.
 */

/** The row of a key or a session, with its operator. */
export interface CredentialRow {
  readonly id: string;
  readonly operatorId: string;
}

/** The longest life of a row while notifications arrive, in case one is lost. */
const CACHED_MS = 60_000;

/** Without notifications, a revoked credential stops working everywhere within this time. */
const CACHED_MS_UNNOTIFIED = 1_000;

const CACHE_SIZE = 10_000;

export class CredentialCache<Row extends CredentialRow> {
  private readonly cached = boundedCache<string, { readonly row: Row; readonly until: number }>(CACHE_SIZE);
  /** Running queries: requests with the same credential share one. */
  private readonly queries = new Map<string, Promise<Row | null>>();
  /** Incremented by each notification, so that a row read before it is not cached after it. */
  private generation = 0;

  /** @param load finds the row of a credential; null when there is none */
  constructor(
    private readonly notifications: Pick<PgNotifications, 'isListening'>,
    private readonly load: (credential: string) => Promise<Row | null>,
  ) {}

  /** The row, without a promise when it is cached. */
  find(credential: string, nowMs: number): Row | Promise<Row | null> {
    const known = this.cached.get(credential);
    if (known && known.until > nowMs) return known.row;
    let query = this.queries.get(credential);
    if (!query) {
      query = this.read(credential, nowMs).finally(() => this.queries.delete(credential));
      this.queries.set(credential, query);
    }
    return query;
  }

  /** Drops the row of this id; null drops all. */
  forget(id: string | null): void {
    this.forgetWhere((row) => id === null || row.id === id);
  }

  /** Drops all rows of an operator; null drops all. */
  forgetOperator(operatorId: string | null): void {
    this.forgetWhere((row) => operatorId === null || row.operatorId === operatorId);
  }

  private forgetWhere(matches: (row: Row) => boolean): void {
    this.generation++;
    // Later requests must not share a query that may have read the row before its change.
    this.queries.clear();
    for (const [credential, { row }] of this.cached.entries()) if (matches(row)) this.cached.delete(credential);
  }

  private async read(credential: string, nowMs: number): Promise<Row | null> {
    const { generation } = this;
    const row = await this.load(credential);
    if (!row || generation !== this.generation) return row;
    const forMs = this.notifications.isListening ? CACHED_MS : CACHED_MS_UNNOTIFIED;
    this.cached.set(credential, { row, until: nowMs + forMs });
    return row;
  }
}
