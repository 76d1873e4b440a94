import { pipeline, Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { CallerScans } from '../../auth/limits/caller-scans.js';
import { inSight } from '../../auth/rights/in-sight.js';
import { type Rights } from '../../auth/rights/rights.js';
import { type Reader } from '../../auth/access/shown-selector.js';
import { Clock } from '../../platform/clock.js';
import { type Report, type ReportDevice, type ReportGroup, type ReportTimes } from './report-page.js';
import { RolloutViews } from '../state/rollout-views.js';
import { type Rollout } from '../state/rollout.entity.js';

/** Names in a group of a report, groups, and devices that need a person. */
const NAMES = 10;
const GROUPS = 50;
const PERSONS = 1_000;
/** Devices of a page; the table as CSV has all. */
const DEVICES = 1_000;

/** Rows that one statement of a table reads. */
const BATCH = 1_000;

const COLUMNS = [
  { key: 'name', header: 'device' },
  { key: 'deviceId', header: 'device_id' },
  { key: 'wave', header: 'wave' },
  { key: 'state', header: 'state' },
  { key: 'reason', header: 'reason' },
  { key: 'tries', header: 'tries' },
  { key: 'beganAt', header: 'began_at' },
  { key: 'endedAt', header: 'ended_at' },
  { key: 'seconds', header: 'seconds' },
  { key: 'firmwareBefore', header: 'firmware_before' },
  { key: 'firmware', header: 'firmware_now' },
  { key: 'jobId', header: 'job_id' },
];

interface TableRow {
  readonly wave: number;
  readonly position: number;
  readonly deviceId: string;
  readonly beganAt: Date | null;
  readonly endedAt: Date | null;
}

/** The result of a rollout. It can be requested at any time; before the end it says so. */
@Injectable()
export class RolloutReports {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CallerScans) private readonly scans: Pick<CallerScans, 'page'>,
    @Inject(RolloutViews) private readonly views: RolloutViews,
  ) {}

  /** Numbers and names are of the devices in sight. */
  async of(rollout: Rollout, reader: Reader): Promise<Report> {
    const { rights } = reader;
    const view = await this.views.withWaves(rollout, reader);
    // One after the other: a request of a caller uses one connection.
    const causes = await this.causes(rollout.id, rights);
    const times = await this.times(rollout.id, rights);
    const needsPerson = await this.needsPerson(rollout.id, rights);
    return { ...view, times, causes, needsPerson, madeAt: this.clock.now() };
  }

  /**
   * Every device in sight with its result, as CSV, read in batches at the speed of the reader.
   * @param gone when the reader has left
   */
  table(rollout: Rollout, reader: Principal, gone: AbortSignal): Readable {
    // A cell that begins like a formula is marked as text: the file may be opened in a spreadsheet.
    const csv = stringify({ header: true, columns: COLUMNS, escape_formulas: true });
    const rows = Readable.from(this.rows(rollout.id, reader, gone), { highWaterMark: BATCH });
    return pipeline(rows.map(lineOf), csv, () => undefined); // an error in either is one of the answer
  }

  /** Devices in sight for the page of a report, those without success first. */
  devices({ id }: Rollout, { rights }: Reader): Promise<ReportDevice[]> {
    return this.seen(
      `select device_name as name, wave + 1 as wave, seen.state, reason, began_at as "beganAt", ended_at as "endedAt",
              before ->> 'firmware' as "firmwareBefore", device.firmware
         from seen left join device on device.id = seen.device_id
        order by seen.state not in ('failed', 'unknown'), seen.state = 'succeeded', wave, position limit ${DEVICES}`,
      id,
      rights,
    );
  }

  private causes(rolloutId: string, rights: Rights): Promise<ReportGroup[]> {
    return this.seen(
      `select state, reason, count(*)::int as count,
              (array_agg(device_name order by wave, position))[1:${NAMES}] as devices
         from seen where state <> 'succeeded'
        group by state, reason order by count desc, state, reason limit ${GROUPS}`,
      rolloutId,
      rights,
    );
  }

  private async times(rolloutId: string, rights: Rights): Promise<ReportTimes> {
    const [row] = await this.seen<{ total: number | null; p50: number | null; p90: number | null; max: number | null }>(
      `select extract(epoch from max(ended_at) - min(began_at))::float as total,
              percentile_cont(0.5) within group (order by extract(epoch from ended_at - began_at))::float as p50,
              percentile_cont(0.9) within group (order by extract(epoch from ended_at - began_at))::float as p90,
              max(extract(epoch from ended_at - began_at))::float as max
         from seen where began_at is not null and ended_at is not null`,
      rolloutId,
      rights,
    );
    const { total, p50, p90, max } = row!;
    return { totalSeconds: total, perDevice: p50 === null ? null : { p50, p90: p90!, max: max! } };
  }

  private needsPerson(rolloutId: string, rights: Rights): Promise<Report['needsPerson']> {
    return this.seen(
      `select device_id as "deviceId", device_name as name, state, reason from seen
        where state in ('unknown', 'failed') or reason in ('device_credentials_refused', 'device_trust_changed')
        order by state desc, wave, position limit ${PERSONS}`,
      rolloutId,
      rights,
    );
  }

  /** Runs a query on the targets in sight. */
  private seen<Row>(sql: string, rolloutId: string, rights: Rights): Promise<Row[]> {
    const values: unknown[] = [rolloutId];
    const where = inSight(rights, 'device_id', values, this.clock.now());
    return this.db.query(
      `with seen as (select * from rollout_target where rollout_id = $1 and ${where}) ${sql}`,
      values,
    );
  }

  private async *rows(rolloutId: string, reader: Principal, gone: AbortSignal): AsyncGenerator<TableRow> {
    let last: TableRow | null = null;
    for (;;) {
      const values: unknown[] = [rolloutId, last?.wave ?? null, last?.position ?? null, last?.deviceId ?? null];
      const seen = inSight(reader.rights, 'target.device_id', values, this.clock.now());
      const sql = `select target.device_name as name, target.device_id as "deviceId", target.wave, target.position, target.state,
                target.reason, target.tries, target.began_at as "beganAt", target.ended_at as "endedAt",
                target.before ->> 'firmware' as "firmwareBefore", device.firmware, target.job_id as "jobId"
           from rollout_target target left join device on device.id = target.device_id
          where target.rollout_id = $1
            and ($2::int is null or (target.wave, target.position, target.device_id) > ($2::int, $3::int, $4::uuid))
            and ${seen}
          order by target.wave, target.position, target.device_id limit ${BATCH}`;
      const batch: TableRow[] = await this.scans.page(reader, () => this.db.query<TableRow[]>(sql, values), gone);
      yield* batch;
      if (batch.length < BATCH) return;
      last = batch.at(-1)!;
    }
  }
}

function lineOf(row: TableRow) {
  const { beganAt, endedAt } = row;
  const seconds = beganAt && endedAt ? (endedAt.getTime() - beganAt.getTime()) / 1_000 : null;
  return { ...row, wave: row.wave + 1, beganAt: beganAt?.toISOString(), endedAt: endedAt?.toISOString(), seconds };
}
