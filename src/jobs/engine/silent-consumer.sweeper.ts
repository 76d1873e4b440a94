import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../platform/clock.js';
import { LOG } from '../../platform/log.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { JobQueue } from './job-queue.js';
import { JobRows } from './job-rows.js';
import { Leases } from './leases.js';

/** Tickets are claimed within milliseconds; one that waits this long while the process has free capacity has no listener. */
const SILENT_MS = 10_000;

/** The time that a new consumer gets to claim a ticket. */
const REPLACE_EVERY_MS = 30_000;

/**
 * Replaces the consumers of this process when tickets wait although it has free capacity: a consumer, which BullMQ calls
 * a worker, can stop without an error. On Postgres, BullMQ 6.7 waits for ever when its connection for notifications is
 * cut as it opens: 1 in 550 cuts (docs/adr/0006-rows-are-the-schedule.md). On Redis it did the same (issues 4378 and 4479,
 * fixed; 3185, open). A false alarm costs one connection for a moment.
 */
@Injectable()
export class SilentConsumerSweeper implements Sweeper {
  /** The name in metrics and logs does not change. */
  readonly name = 'silent-worker';
  readonly everyMs = 5_000;
  readonly isForWorkers = true;
  private replacedAt = 0;

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(Leases) private readonly leases: Leases,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async sweep(): Promise<Record<string, number>> {
    const now = this.clock.now().getTime();
    if (this.leases.freeCapacity <= 0 || now - this.replacedAt < REPLACE_EVERY_MS) return {};
    const count = await this.rows.countUnclaimed(SILENT_MS);
    if (count === 0) return {};
    this.replacedAt = now;
    this.log.warn(
      { count },
      'Jobs wait although the process has free capacity: the gateway replaces the consumers of its queue',
    );
    this.queue.replaceConsumers();
    return { replaced: 1 };
  }
}
