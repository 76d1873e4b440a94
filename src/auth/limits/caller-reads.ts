import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { type QueueLimits, SlotQueue } from '../../platform/limits/slot-queue.js';
import { withTimeout } from '../../platform/with-timeout.js';
import { type Principal } from '../access/access.js';

/*
 * The share of the database's connections that reads of callers may use. The rest is for authentication, readiness, leases
 * of jobs, the audit and writes, which stay quick while callers scan the whole fleet. A share belongs to an operator and not to
 * a key: every operator may make keys of their own.
 */

/** Requests of one operator that may wait: a script with some dozens at once is served, one with hundreds is told. */
const WAITING_MAX = 64;

/** As long as a request waits for a connection. */
const WAIT_MS = 5_000;

/** A reader of a file has its first part, and must not lose the rest to a busy minute. */
const PAGE_WAIT_MS = 60_000;

/** Fifty thousand devices are read in a second or two. A statement of the gateway's own may take 30 s. */
const READ_WITHIN_MS = 10_000;

/** @param poolSize connections for rows, all in all */
export function readLimits(poolSize: number): QueueLimits {
  const total = Math.max(1, Math.floor(poolSize / 2));
  return { total, perKey: Math.ceil(total / 3), waitingPerKey: WAITING_MAX };
}

@Injectable()
export class CallerReads {
  private readonly limits: QueueLimits;
  private readonly queue: SlotQueue;

  constructor(@Inject(CONFIG) { DATABASE_POOL_SIZE }: Pick<GatewayConfig, 'DATABASE_POOL_SIZE'>) {
    this.limits = readLimits(DATABASE_POOL_SIZE);
    this.queue = new SlotQueue(this.limits);
  }

  /**
   * Runs what reads for a caller, in turn.
   * @throws AppError `too_many_reads`; errors of `work`
   */
  async inTurn<Result>(
    reader: Pick<Principal, 'operatorId'>,
    work: () => Promise<Result>,
    waitMs = WAIT_MS,
  ): Promise<Result> {
    const release = await this.queue.take(reader.operatorId, waitMs);
    if (!release) throw this.refusal();
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * As `inTurn`, and not longer than a read may take. What is late goes on without its caller, and holds its slot to its end.
   * @param dispose gets a result that came too late
   * @throws AppError `too_many_reads`, `took_too_long`; errors of `work`
   */
  inTime<Result>(
    reader: Pick<Principal, 'operatorId'>,
    work: () => Promise<Result>,
    dispose: (late: Result) => void,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const limited = async () => {
        const running = work();
        const answer = withTimeout(READ_WITHIN_MS, running, () => {
          running.then(dispose, () => undefined);
          throw new AppError('took_too_long', { limitMs: READ_WITHIN_MS });
        });
        answer.then(resolve, reject);
        await running;
      };
      this.inTurn(reader, limited).catch(reject);
    });
  }

  /** A page of a file that is read at the speed of its reader: no slot is held between two pages. */
  page<Result>(reader: Pick<Principal, 'operatorId'>, work: () => Promise<Result>): Promise<Result> {
    return this.inTurn(reader, work, PAGE_WAIT_MS);
  }

  private refusal(): AppError {
    const { perKey, waitingPerKey } = this.limits;
    return new AppError('too_many_reads', { limit: perKey, waiting: waitingPerKey, retryAfterSeconds: 2 });
  }
}
