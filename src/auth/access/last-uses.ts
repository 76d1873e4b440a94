import { LRUCache } from 'lru-cache';
import { type DataSource } from 'typeorm';

/** Kept to the minute: what is in constant use costs one update a minute. */
const NOTED_EVERY_MS = 60_000;

const MEMORY_SIZE = 20_000;

/** When and from where keys and sessions were last used. Written behind the request, which neither waits for it nor fails by it. */
export class LastUses {
  private readonly noted = new LRUCache<string, number>({ max: MEMORY_SIZE });

  constructor(
    private readonly db: DataSource,
    private readonly table: 'api_key' | 'operator_session',
    private readonly atColumn: string,
    private readonly addressColumn: string,
  ) {}

  /** When this process last noted a use, in milliseconds since the epoch; 0 when it did not. */
  lastNoted(id: string): number {
    return this.noted.get(id) ?? 0;
  }

  note(id: string, address: string, now: Date): void {
    if (now.getTime() - this.lastNoted(id) < NOTED_EVERY_MS) return;
    this.noted.set(id, now.getTime());
    this.db
      .query(
        `update ${this.table} set ${this.atColumn} = $2, ${this.addressColumn} = $3
          where id = $1 and (${this.atColumn} is null or ${this.atColumn} < $2)`,
        [id, now, address],
      )
      .catch(() => this.noted.delete(id));
  }
}
