import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Authors } from '../../auth/keys/authors.service.js';
import { ADVISORY_LOCK, tryLock } from '../../database/advisory-locks.js';
import { withinInterval } from '../../database/due-times.js';
import { SavedSelectorsService } from '../../devices/saved-selectors.service.js';
import { authoredDevicesSql } from '../../monitoring/samples/authored-devices.js';
import { newMonthSql } from '../../monitoring/samples/sample-store.js';
import { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { Watch } from './watch.entity.js';
import { keepTimesSql } from './watches.service.js';

/*
 * Finds the devices that watches name: `watched_device`. The selector is read with the present rights of the author; each path is
 * judged again at the pass. One process plans at a time.
 */

/** New devices are spread over so long, so that a watch does not begin with a burst: 5,000 in ten minutes are eight a second. */
const SPREAD_S = 600;

/** A device of a disabled watch that a person asked for, and that could not be read. */
const ASKED_KEPT = `interval '1 hour'`;

@Injectable()
export class WatchPlanSweeper implements Sweeper {
  readonly name = 'watch-plan';
  readonly isLeftToWorker = true;
  readonly everyMs = 10_000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Authors) readonly authors: Pick<Authors, 'rightsOf'>,
    @Inject(SavedSelectorsService) readonly selectors: Pick<SavedSelectorsService, 'read'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** @returns how many devices came and went */
  async sweep(): Promise<Record<string, number>> {
    const watches = await this.db.manager.find(Watch, { order: { id: 'asc' } });
    const every = '(select every_seconds from watch where id = plan.watch_id)';
    await this.db.query(newMonthSql('watched_device', every), [this.clock.now()]);
    await this.db.query(withinInterval('watched_device', 'due_at', 'interval_seconds'), [this.clock.now()]);
    let planned = 0;
    for (const watch of watches) planned += await this.plan(watch);
    return { planned };
  }

  private async plan(watch: Watch): Promise<number> {
    const now = this.clock.now();
    const values: unknown[] = [watch.id, now];
    const found = watch.enabled ? await this.conditionOf(watch, values, now) : 'false';
    const code = found instanceof AppError ? found.code : null;
    const isStopped = watch.lastError === 'quarantined' && !watch.enabled; // that stays to be read
    if (watch.lastError !== code && !isStopped)
      await this.db.query('update watch set last_error = $2 where id = $1', [watch.id, code]);
    const condition = found instanceof AppError ? 'false' : found;
    return this.db.transaction(async (tx) => {
      return (await tryLock(tx, ADVISORY_LOCK.watchPlan)) ? this.store(tx, watch, condition, values) : 0;
    });
  }

  private conditionOf(watch: Watch, values: unknown[], now: Date): Promise<string | AppError> {
    return authoredDevicesSql(this, watch, values, now).catch((error: unknown) => {
      if (error instanceof AppError) return error;
      throw error;
    });
  }

  private async store(
    tx: EntityManager,
    { everySeconds }: Watch,
    condition: string,
    values: unknown[],
  ): Promise<number> {
    const known = 'select device_id from watched_device where watch_id = $1';
    const unasked = `(asked_at is null or asked_at < $2::timestamptz - ${ASKED_KEPT})`;
    const gone = `device_id not in (select device.id from device where ${condition}) and ${unasked}`;
    await tx.query(keepTimesSql(`select * from watched_device where watch_id = $1 and ${gone}`), values);
    const [, left] = await tx.query<[unknown[], number]>(
      `delete from watched_device where watch_id = $1 and ${gone}`,
      values,
    );
    const soon = `$2::timestamptz + random() * ${Math.min(SPREAD_S, everySeconds)} * interval '1 second'`;
    const added = await tx.query<unknown[]>(
      `insert into watched_device (watch_id, device_id, interval_seconds, due_at)
       select $1, device.id, ${everySeconds}, ${soon} from device
        where ${condition} and device.id not in (${known}) order by device.id
       on conflict do nothing returning 1`,
      values,
    );
    return left + added.length;
  }
}
