import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { WorkMarks } from '../../database/work-marks.js';
import { mayBeReadSql, stateOfNoRead } from '../../monitoring/samples/background-reads.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { SlotQueue } from '../../platform/limits/slot-queue.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type DuePass, WatchPasses } from './watch-passes.js';
import { Watch } from './watch.entity.js';
import { Watches } from './watches.service.js';

/*
 * Makes the passes of watches that are due, a bounded number at once. A watch is worked on under a mark: one that takes three
 * processes down is disabled. The next pass is a column that is set before the pass, so a lost process costs ten minutes.
 *
 * Who is not read: as for samples (`sampler.sweeper.ts`); such a device is looked at again a minute later.
 */

/** Passes at once: an unreachable device takes 15 s, and 5,000 devices have ten minutes. */
const AT_ONCE = 100;

/** The next devices are taken when so many places are free: one statement for some of them. */
const FREE_MIN = 25;

/** A pass whose process is lost is made again after so long. */
const LEASE_S = 600;

/** So long a person waits until others have read theirs. */
const TURN_WITHIN_MS = 30_000;

/** When a device that may not be read now is looked at again. */
const AGAIN_S = 60;

/** So long a sweep takes new devices; then other watches that have become due have their turn. */
const TURN_MS = 60_000;

/** At a stop: a pass that is lost is made again after the next start. */
const STOP_WITHIN_MS = 3_000;

@Injectable()
export class WatchSweeper implements Sweeper, BeforeApplicationShutdown {
  readonly name = 'watches';
  readonly isLeftToWorker = true;
  readonly everyMs = 2_000;
  /** The last pass of each device: two watches read a device one after the other. */
  private readonly running = new Map<string, Promise<void>>();
  /** Devices that persons read now, beside those of the sweep. */
  private readonly asked = new SlotQueue({ total: AT_ONCE, perKey: AT_ONCE, mayTakeLast: true, waitingTotal: AT_ONCE });
  private isStopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WorkMarks) private readonly marks: WorkMarks,
    @Inject(Watches) private readonly watches: Pick<Watches, 'quarantine'>,
    @Inject(WatchPasses) private readonly passes: WatchPasses,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'STATUS_EVERY_SECONDS'>,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const rows = await this.db.query<{ id: string }[]>(
      'select distinct watch_id as id from watched_device where due_at <= $1 order by watch_id',
      [this.clock.now()],
    );
    let read = 0;
    await this.marks.during(
      'watch',
      rows.map(({ id }) => id),
      async (ids) => void (read += await this.readDue(ids)),
      (id) => this.watches.quarantine(id),
    );
    return { read };
  }

  /** Reads one device at once, by all watches that name it, as far as it may be read. @throws AppError `too_many_requests_at_once` */
  readNow(deviceId: string): Promise<void> {
    return this.asked.run('now', () => this.readAsked(deviceId), { waitMs: TURN_WITHIN_MS });
  }

  private async readAsked(deviceId: string): Promise<void> {
    const [rows] = await this.db.query<[{ id: string }[], number]>(
      'update watched_device set due_at = $2, asked_at = $2 where device_id = $1 returning watch_id as id',
      [deviceId, this.clock.now()],
    );
    await this.running.get(deviceId); // it may be older than the question
    const ids = rows.map(({ id }) => id);
    await this.start(ids, ids.length, deviceId);
    await this.running.get(deviceId);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await withTimeout(STOP_WITHIN_MS, Promise.all(this.running.values()), () => undefined);
  }

  private async readDue(ids: readonly string[]): Promise<number> {
    const until = performance.now() + TURN_MS;
    let read = 0;
    while (!this.isStopping && performance.now() < until) {
      const begun = await this.start(ids, Math.max(0, AT_ONCE - this.running.size));
      if (begun === 0) break;
      read += begun;
      while (this.running.size > AT_ONCE - FREE_MIN) await Promise.race(this.running.values());
    }
    await Promise.all(this.running.values());
    return read;
  }

  /** @param deviceId only this one @returns how many passes began */
  private async start(ids: readonly string[], limit: number, deviceId: string | null = null): Promise<number> {
    const watches = await this.db.manager.findBy(Watch, { id: In([...ids]) }); // they may have changed since the last ones
    const rights = await this.passes.rightsOf(watches);
    const byId = new Map(watches.map((watch) => [watch.id, watch]));
    const due = await this.takeDue([...rights.keys()], limit, deviceId);
    for (const one of due)
      this.begin(one, () => this.passes.pass(one, byId.get(one.watchId)!, rights.get(one.watchId)!));
    return due.length;
  }

  private begin({ deviceId }: DuePass, pass: () => Promise<void>): void {
    const after = (this.running.get(deviceId) ?? Promise.resolve()).then(pass).finally(() => {
      if (this.running.get(deviceId) === after) this.running.delete(deviceId);
    });
    this.running.set(deviceId, after);
  }

  /** Sets when each due device is read again if this pass is lost, or looked at again. */
  private async takeDue(ids: readonly string[], limit: number, deviceId: string | null): Promise<DuePass[]> {
    const [rows] = await this.db.query<[(DuePass & { mayBeRead: boolean })[], number]>(
      `with due as (
         select waiting.watch_id, waiting.device_id, plan.budget_mb, sample.month::text as month,
                coalesce(sample.month_bytes, 0)::float8 as month_bytes, ${mayBeReadSql('$3')} as may_be_read
           from watched_device waiting
           join device on device.id = waiting.device_id
           join watch on watch.id = waiting.watch_id and (watch.enabled or waiting.asked_at is not null)
           left join monitored_device plan on plan.device_id = device.id
           left join device_sample sample on sample.device_id = device.id
          where waiting.watch_id = any ($2::uuid[]) and waiting.due_at <= $1 and waiting.device_id <> all ($4::uuid[])
            and ($6::uuid is null or waiting.device_id = $6) order by waiting.due_at limit $5 for update of waiting skip locked)
       update watched_device plan
          set due_at = $1::timestamptz + interval '1 second' * case when may_be_read then ${LEASE_S} else ${AGAIN_S} end
         from due where (plan.watch_id, plan.device_id) = (due.watch_id, due.device_id)
        returning plan.watch_id as "watchId", plan.device_id as "deviceId", plan.interval_seconds as "intervalSeconds",
                  due.budget_mb as "budgetMb", due.month, due.month_bytes as "monthBytes", may_be_read as "mayBeRead"`,
      [this.clock.now(), ids, stateOfNoRead(this.config), [...this.running.keys()], limit, deviceId],
    );
    return rows.filter(({ mayBeRead }) => mayBeRead);
  }
}
