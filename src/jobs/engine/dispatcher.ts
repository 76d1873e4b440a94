import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Clock } from '../../platform/clock.js';
import { errorFields, LOG } from '../../platform/log.js';
import { JobQueue } from './job-queue.js';
import { JobRows } from './job-rows.js';
import { Leases } from './leases.js';
import { type JobSignals } from './job-signals.js';

/** The interval at which a dispatcher polls for due jobs. */
const POLL_EVERY_MS = 250;

/** The interval while there is work, so that free capacity is soon used. A poll costs the database 1.4 ms. */
const POLL_SOON_MS = 50;

/** The pause after a failure of the database or the queue. */
const POLL_AFTER_ERROR_MS = 2_000;

/**
 * Adds tickets of due jobs to the queue: never more than this process could run in addition to its own jobs, so that a
 * ticket does not wait until its lease expires. Any process with free capacity takes them. The rows are committed first;
 * a ticket that is lost in between is recovered by its lease.
 */
@Injectable()
export class Dispatcher {
  private readonly stopping = new AbortController();
  private loop: Promise<void> = Promise.resolve();
  private wakeUp = new AbortController();

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobQueue) private readonly queue: JobQueue,
    @Inject(Leases) private readonly leases: Leases,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Polls, and dispatches at once when a job becomes due in this process. */
  start(signals: JobSignals): void {
    signals.on('due', () => this.wakeUp.abort());
    this.stopping.signal.addEventListener('abort', () => this.wakeUp.abort());
    this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await this.rows.undispatch(this.leases.owner);
  }

  /** Dispatches the due jobs. @returns their number */
  async dispatch(): Promise<number> {
    const capacity = this.leases.freeCapacity;
    if (capacity <= 0) return 0;
    const tickets = await this.rows.dispatch(this.leases.owner, capacity, this.leases.reservedCapacity);
    if (tickets.length === 0) return 0;
    try {
      await this.queue.add(tickets);
    } catch (error) {
      await this.rows.undispatch(this.leases.owner, tickets);
      throw error;
    }
    return tickets.length;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.wakeUp = new AbortController();
      const pauseMs = await this.dispatch().then(
        (dispatched) => (dispatched > 0 ? POLL_SOON_MS : POLL_EVERY_MS),
        (error: unknown) => {
          this.log.warn(errorFields(error), 'Due jobs could not be dispatched; the gateway will retry');
          return POLL_AFTER_ERROR_MS;
        },
      );
      if (!this.stopping.signal.aborted) await this.clock.sleep(pauseMs, this.wakeUp.signal);
    }
  }
}
