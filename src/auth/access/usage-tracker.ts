import { type DataSource } from 'typeorm';
import { boundedCache } from '../../platform/bounded-cache.js';

/** The precision is a minute: a key in constant use costs one update a minute. */
const STORED_EVERY_MS = 60_000;

const CACHE_SIZE = 20_000;

/** Requests neither wait for the write nor fail with it. */
export class UsageTracker {
  private readonly storedAt = boundedCache<string, number>(CACHE_SIZE);

  constructor(
    private readonly db: DataSource,
    private readonly table: 'api_key' | 'operator_session',
    private readonly atColumn: string,
    private readonly addressColumn: string,
  ) {}

  /** When this process last stored a use, in milliseconds since 1970; 0 when it has not. */
  lastStored(id: string): number {
    return this.storedAt.get(id) ?? 0;
  }

  record(id: string, address: string, now: Date): void {
    if (now.getTime() - this.lastStored(id) < STORED_EVERY_MS) return;
    this.storedAt.set(id, now.getTime());
    this.db
      .query(
        `update ${this.table} set ${this.atColumn} = $2, ${this.addressColumn} = $3
          where id = $1 and (${this.atColumn} is null or ${this.atColumn} < $2)`,
        [id, now, address],
      )
      .catch(() => this.storedAt.delete(id));
  }
}
