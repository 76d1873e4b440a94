import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Clock } from '../platform/clock.js';
import { type Sweeper } from '../platform/sweeper.js';
import { Storage, WINDOW_DAYS } from './storage.js';

/** One process of all takes a sample when the last one is so old. A little less than an hour: passes are a minute apart. */
const EVERY_MINUTES = 59;

/** Remembers how large everything is, once an hour, so that growth is known after a restart, too. */
@Injectable()
export class StorageSweeper implements Sweeper {
  readonly name = 'storage';
  readonly everyMs = 60_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Storage) private readonly storage: Storage,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now();
    const [recent] = await this.db.query<unknown[]>(
      `select from storage_sample where taken_at > $1::timestamptz - $2 * interval '1 minute' limit 1`,
      [now, EVERY_MINUTES],
    );
    if (recent) return {};
    const sizes = await this.storage.measure();
    await this.db.query(
      `insert into storage_sample (name, taken_at, bytes) select name, $1, bytes from json_to_recordset($2) as size (name text, bytes bigint)
       on conflict do nothing`,
      [now, JSON.stringify(sizes)],
    );
    await this.db.query(`delete from storage_sample where taken_at < $1::timestamptz - $2 * interval '1 day'`, [
      now,
      WINDOW_DAYS + 1,
    ]);
    return {};
  }
}
