import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { DataSource } from 'typeorm';
import { countCovered } from '../backups/backup-coverage.js';
import { OVERDUE_HOURS } from '../backups/backups.contract.js';
import { DEVICE_STATES } from '../selectors/selector.js';
import { Clock } from '../platform/clock.js';
import { errorFields, LOG } from '../platform/log.js';
import { Metrics } from '../platform/metrics.js';
import { withTimeout } from '../platform/with-timeout.js';

/*
 * The metrics of the whole installation. Each process counts them in the database when it is scraped. A scrape must not wait for a
 * database that is away or busy: then they are left out, since an old figure would look like a true one.
 */

/** /metrics may be open to everybody, and all of it took 0.5 to 1 s for 50,000 devices with 300,000 jobs, on two busy cores. */
const KEPT_MS = 15_000;

/** A scrape has ten seconds by default. */
const READ_WITHIN_MS = 2_000;

type StateCount = { readonly state: string; readonly count: number };

@Injectable()
export class InstallationFigures {
  private reading: Promise<void> | null = null;
  private readAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.forget();
  }

  /** Sets the metrics to what is true now, or takes them away. Scrapes at the same time share it. */
  async refresh(): Promise<void> {
    if (Math.abs(this.clock.nowMs() - this.readAtMs) < KEPT_MS) return;
    this.reading ??= this.read()
      .catch((error: unknown) => {
        this.forget();
        this.log.warn(errorFields(error), 'The metrics of the installation could not be counted');
      })
      .finally(() => (this.reading = null));
    await withTimeout(READ_WITHIN_MS, this.reading, () => this.forget());
  }

  /** One query after the other: all at once would take the connections of callers. */
  private async read(): Promise<void> {
    const now = this.clock.now();
    const devices = await this.db.query<StateCount[]>('select state, count(*)::int from device group by state');
    const overdueBefore = new Date(now.getTime() - OVERDUE_HOURS * 3_600_000);
    const backups = await countCovered(this.db, 'true', [overdueBefore]);
    const [row] = await this.db.query<[{ paused: number; dueSeconds: number; checkpointSeconds: number | null }]>(
      `select (select count(*) from rollout where state = 'paused')::int as paused,
              coalesce(extract(epoch from $1::timestamptz - (select min(wake_at) from job where phase = 'queued' and wake_at <= $1)), 0)::float8
                as "dueSeconds",
              extract(epoch from $1 - (select signed_at from audit_checkpoint order by size desc limit 1))::float8
                as "checkpointSeconds"`,
      [now],
    );
    const deliveries = await this.db.query<StateCount[]>(
      `select state, count(*)::int from webhook_delivery
        where state = 'failed' or (state = 'waiting' and error is not null) group by state`,
    );
    this.forget();
    const { installation: gauges } = this.metrics;
    const none = (states: readonly string[]) => states.map((state) => ({ state, count: 0 }));
    for (const { state, count } of [...none(DEVICE_STATES), ...devices]) gauges.devices.set({ state }, count);
    for (const [state, count] of Object.entries(backups)) gauges.backups.set({ state }, count);
    for (const { state, count } of [...none(['failed', 'waiting']), ...deliveries])
      gauges.failingDeliveries.set({ state }, count);
    gauges.rolloutsPaused.set(row.paused);
    gauges.oldestDueJob.set(row.dueSeconds);
    if (row.checkpointSeconds !== null) gauges.checkpointAge.set(Math.max(0, row.checkpointSeconds));
    this.readAtMs = now.getTime();
  }

  private forget(): void {
    this.readAtMs = Number.NEGATIVE_INFINITY;
    for (const gauge of Object.values(this.metrics.installation)) {
      gauge.reset();
      gauge.remove({}); // a gauge without labels would begin with 0
    }
  }
}
