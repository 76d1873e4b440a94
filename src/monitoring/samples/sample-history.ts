import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ADVISORY_LOCK, tryLock } from '../../database/advisory-locks.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError, isLockTimeout } from '../../platform/errors.js';

/*
 * The samples of the last days, for charts. Each day (UTC) has one of 32 partitions, by its number. At most 31 days are kept,
 * with today, so the partition of a day is emptied the day before. Emptying is a `truncate`: no row is deleted.
 */

const RING = 32;
const DAY_MS = 86_400_000;

/** Of a sparkline. */
const HOURS = 24;

/** The longest time of one chart: more days than that are never kept. */
const LONGEST_MS = (RING - 1) * DAY_MS;

/** A `truncate` waits no longer for readers of its day, since new samples wait behind it. The next pass tries again. */
const LOCK_WITHIN = '200ms';

/** Columns by the name of the value. */
const COLUMNS = {
  rssi: 'rssi',
  rsrp: 'rsrp',
  rsrq: 'rsrq',
  sinr: 'sinr',
  temperature: 'temperature',
  uptimeSeconds: 'uptime_seconds',
  memoryFree: 'memory_free',
  flashFree: 'flash_free',
  load1: 'load1',
  load5: 'load5',
  dataDay: 'data_day',
  dataMonth: 'data_month',
} as const;

export type HistoryMetric = keyof typeof COLUMNS;
export const HISTORY_METRICS = Object.keys(COLUMNS) as [HistoryMetric, ...HistoryMetric[]];

/** Columns that a sample and its history have alike. */
export const VALUES = Object.values(COLUMNS).join(', ');

/**
 * A part of the statement that stores samples (`taken`; `$3`: days since 1970 that may have rows, as `SampleHistory.freeDays` says them).
 * It reads no partition that is chosen while the statement runs: Postgres 18.4 dies of that choice when another process has changed
 * rows that the statement locks.
 */
export const KEEP = `
  insert into device_sample_history (ring, device_id, at, ${VALUES})
  select (day.number % ${RING})::smallint, taken.device_id, taken.sampled_at, ${VALUES}
    from taken cross join lateral (select floor(extract(epoch from taken.sampled_at) / 86400)::int as number) day
   where day.number = any ($3::int[])`;

/** Any row of a partition says its day, since all are of one. */
const OLD = `
  select ring.number as ring from generate_series(0, ${RING - 1}) as ring (number)
   where (select at from device_sample_history where device_sample_history.ring = ring.number::smallint limit 1) < $1`;

interface HistoryPoint {
  readonly at: Date;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

interface Asked {
  readonly metric: HistoryMetric;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly points: number;
}

@Injectable()
export class SampleHistory {
  /** Days whose partition is known to have no others: nothing older is written to it from then on. */
  private known: ReadonlySet<number> = new Set();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'MONITORING_KEEP_DAYS'>,
  ) {}

  /** @throws AppError `invalid_input` for a time that is none, or longer than any history */
  async read(deviceId: string, { metric, points, ...asked }: Asked) {
    const to = asked.to === undefined ? this.clock.now() : new Date(asked.to);
    const from = asked.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(asked.from);
    const length = to.getTime() - from.getTime();
    if (length <= 0) throw refused('must be before the end');
    if (length > LONGEST_MS) throw refused(`must be at most ${RING - 1} days before the end`);
    const stepSeconds = Math.ceil(length / points / 1_000);
    const column = COLUMNS[metric];
    const rows = await this.db.query<HistoryPoint[]>(
      `select date_bin($5 * interval '1 second', at, $2::timestamptz) as at,
              min(${column}), avg(${column})::real as mean, max(${column})
         from device_sample_history
        where ring = any ($6::smallint[]) and device_id = $1 and at >= greatest($2::timestamptz, $4::timestamptz) and at < $3
              and ${column} is not null
        group by 1 order by 1`,
      [deviceId, from, to, this.firstKept(), stepSeconds, ringsOf(from, to)],
    );
    return { metric, from, to, stepSeconds, keptDays: this.config.MONITORING_KEEP_DAYS, points: rows };
  }

  /** The mean of each of the last 24 hours, the oldest first; null for an hour without a sample. */
  async sparklines(deviceIds: readonly string[], metric: HistoryMetric) {
    const to = this.clock.now();
    const from = new Date(to.getTime() - DAY_MS);
    const column = COLUMNS[metric];
    const rows = await this.db.query<{ id: string; hour: number; mean: number }[]>(
      `select device_id as id, floor(extract(epoch from at - $2::timestamptz) / 3600)::int as hour, avg(${column})::real as mean
         from device_sample_history
        where ring = any ($5::smallint[]) and device_id = any ($1::uuid[]) and at >= greatest($2::timestamptz, $4::timestamptz)
              and at < $3 and ${column} is not null
        group by 1, 2`,
      [deviceIds, from, to, this.firstKept(), ringsOf(from, to)],
    );
    const byDevice = new Map(deviceIds.map((id) => [id, Array.from<number | null>({ length: HOURS }).fill(null)]));
    for (const { id, hour, mean } of rows) byDevice.get(id)![hour] = mean;
    return [...byDevice].map(([id, points]) => ({ id, points }));
  }

  /**
   * The days of some moments that may have rows now, since 1970. After a long stop a partition may still have another day: nothing
   * is added to it before it is empty. Without a history there are none.
   */
  async freeDays(moments: readonly Date[]): Promise<readonly number[]> {
    if (this.config.MONITORING_KEEP_DAYS === 0) return [];
    const free = new Set<number>();
    for (const day of new Set(moments.map(dayOf))) if (this.known.has(day) || (await this.isFree(day))) free.add(day);
    this.known = free;
    return [...free];
  }

  private async isFree(day: number): Promise<boolean> {
    const any = 'select at from device_sample_history where ring = $1 limit 1';
    const [row] = await this.db.query<{ at: Date }[]>(any, [ringOf(day)]);
    return row === undefined || dayOf(row.at) >= day;
  }

  /** Empties the partitions of days that are kept no longer, unless somebody reads them. One process does it at a time. */
  async emptyOld(): Promise<void> {
    const emptied = this.db.transaction(async (tx) => {
      if (!(await tryLock(tx, ADVISORY_LOCK.samplingPlan))) return;
      const old = await tx.query<{ ring: number }[]>(OLD, [this.firstKept()]);
      if (old.length === 0) return;
      await tx.query(`set local lock_timeout = '${LOCK_WITHIN}'`);
      for (const { ring } of old) await tx.query(`truncate ${partition(ring)}`);
    });
    await emptied.catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
    });
  }

  private firstKept(): Date {
    const { MONITORING_KEEP_DAYS: days } = this.config;
    return new Date((dayOf(this.clock.now()) - (days === 0 ? -1 : days)) * DAY_MS);
  }
}

/** Days since 1970, in UTC. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / DAY_MS);

const ringOf = (day: number): number => ((day % RING) + RING) % RING;

const partition = (ring: number): string => `device_sample_history_${String(ring).padStart(2, '0')}`;

/** The partitions of the days of this time, which is shorter than the ring. */
export function ringsOf(from: Date, to: Date): number[] {
  const days = Array.from({ length: RING }, (_, index) => dayOf(from) + index).filter((day) => day <= dayOf(to));
  return days.map(ringOf);
}

const refused = (detail: string) => new AppError('invalid_input', { errors: [{ pointer: '/query/from', detail }] });
