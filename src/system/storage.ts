import { readdir, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { archiveFolder } from '../audit/log/archived-segments.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { type SystemView } from './system.contract.js';
import { Clock } from '../platform/clock.js';
import { type Sweeper } from '../platform/sweeper.js';

type StorageView = SystemView['storage'];

export interface Size {
  readonly name: string;
  readonly kind: 'table' | 'files' | 'database';
  readonly bytes: number;
}

const TABLES = 20;
const SHOWN = 10;

/** Growth is measured over this time. */
const WINDOW_DAYS = 7;

/** To measure takes a look at each file of each table, so `read` does it once in this time. */
const KEPT_MS = 60_000;

/** What the installation stores where, and how fast that grows. */
@Injectable()
export class Storage {
  /** What `read` measured last, and when it began to. */
  private measured: Promise<Size[]> | null = null;
  private measuredAtMs = 0;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  async read(now: Date): Promise<StorageView> {
    const sizes = await this.recentSizes(now);
    const samples = await this.oldest(now);
    const freeBytes = await this.freeBytes();
    const sized = sizes.map((size) => ({ ...size, bytesPerDay: bytesPerDay(samples.get(size.name), size.bytes, now) }));
    const database = sized.find(({ kind }) => kind === 'database')!;
    const files = sized.filter(({ kind }) => kind === 'files');
    const onDisk = this.config.DATABASE_URL === undefined ? [...files, database] : files;
    const rate = sumOfRates(onDisk.map((one) => one.bytesPerDay));
    return {
      items: sized
        .flatMap(({ kind, ...one }) => (kind === 'database' ? [] : [{ ...one, kind }]))
        .sort((one, other) => other.bytes - one.bytes)
        .slice(0, SHOWN),
      database: { bytes: database.bytes, bytesPerDay: database.bytesPerDay },
      disk: freeBytes === null ? null : { freeBytes, bytesPerDay: rate, fullAt: fullAt(freeBytes, rate, now) },
    };
  }

  /** Callers at the same time share one measurement, and those of the next minute have it, too. */
  private recentSizes(now: Date): Promise<Size[]> {
    // Of callers at the same time one may have read the clock before the one that measures.
    const ageMs = Math.abs(now.getTime() - this.measuredAtMs);
    if (this.measured && ageMs < KEPT_MS) return this.measured;
    const measured = this.measure();
    this.measured = measured;
    this.measuredAtMs = now.getTime();
    measured.catch(() => {
      if (this.measured === measured) this.measured = null;
    });
    return measured;
  }

  /** The sizes of now: the largest tables, the whole database, and the folders. */
  async measure(): Promise<Size[]> {
    const [tables, archive] = await Promise.all([
      this.db.query<Size[]>(MEASURE, [TABLES]),
      bytesIn(archiveFolder(this.config)),
    ]);
    const sizes: Size[] = [...tables, { name: 'archive of the audit', kind: 'files', bytes: archive }];
    // In a bucket they fill no disk of the gateway's.
    return this.config.ARTIFACT_S3_BUCKET === undefined ? sizes : sizes.filter(({ name }) => name !== 'artifacts');
  }

  private async oldest(now: Date): Promise<ReadonlyMap<string, Sample>> {
    const rows = await this.db.query<(Sample & { name: string })[]>(
      `select distinct on (name) name, bytes::float8 as bytes, taken_at as "takenAt" from storage_sample
        where taken_at > $1::timestamptz - $2 * interval '1 day' order by name, taken_at`,
      [now, WINDOW_DAYS],
    );
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** @returns null when the folder cannot be looked at */
  private async freeBytes(): Promise<number | null> {
    try {
      const { bavail, bsize } = await statfs(this.config.DATA_DIR);
      return bavail * bsize;
    } catch {
      return null;
    }
  }
}

const MEASURE = `
  (select case nspname when 'public' then relname else nspname || '.' || relname end::text as name, 'table' as kind,
          pg_total_relation_size(pg_class.oid)::float8 as bytes
     from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'bullmq') order by bytes desc limit $1)
  union all select 'database', 'database', pg_database_size(current_database())::float8
  union all select 'artifacts', 'files', coalesce(sum(bytes), 0)::float8
              from (select max(bytes) as bytes from artifact group by sha256) as once`;

/** The files of one folder, without those in folders of it; 0 when there is none. */
async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).then((file) => file.size, () => 0))); // prettier-ignore
  return sizes.reduce((sum, size) => sum + size, 0);
}

/* What grows, and when it fills a disk. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A shorter time tells nothing: a vacuum or one upload would count as a year's growth. */
const LEAST_MS = HOUR_MS;

/** Beyond this a date is no news. */
const FARTHEST_DAYS = 100 * 365;

export interface Sample {
  readonly bytes: number;
  readonly takenAt: Date;
}

/** Bytes a day between an earlier size and the present one; negative when it shrinks, null when it cannot be told yet. */
export function bytesPerDay(before: Sample | undefined, bytes: number, now: Date): number | null {
  if (before === undefined) return null;
  const tookMs = now.getTime() - before.takenAt.getTime();
  return tookMs < LEAST_MS ? null : Math.round(((bytes - before.bytes) / tookMs) * DAY_MS);
}

/** The sum of rates; null when none of them is known. */
export function sumOfRates(rates: readonly (number | null)[]): number | null {
  const known = rates.filter((rate) => rate !== null);
  return known.length === 0 ? null : known.reduce((sum, rate) => sum + rate, 0);
}

/** When a disk is full at a rate; null when that is never, or not known. */
export function fullAt(freeBytes: number, rate: number | null, now: Date): Date | null {
  if (rate === null || rate <= 0) return null;
  const days = freeBytes / rate;
  return days > FARTHEST_DAYS ? null : new Date(now.getTime() + days * DAY_MS);
}

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
