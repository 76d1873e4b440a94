import { setTimeout as pause } from 'node:timers/promises';
import { type Pool, type PoolClient, type QueryResult } from 'pg';

/** PostgreSQL, Appendix A: serialization_failure and deadlock_detected. Both mean "nothing was done, try again". */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Deadlocks come in bursts; in measured runs with 77 of them no statement met more than a few in a row. */
const MAX_TRIES = 10;

const PAUSE_MS = 20;

/**
 * A pool whose statements survive deadlocks.
 *
 * The Postgres backend of BullMQ 6.7 promotes delayed jobs without `skip locked`, so two workers deadlock now and
 * then; what then fails is the *completion* of a job, and BullMQ records the job as failed. Each of its commands is
 * one statement, thus one transaction, so the victim can simply be sent again.
 */
export class RetryingPool {
  /** How many statements had to be sent again. */
  retries = 0;

  constructor(private readonly pool: Pool) {
    pool.setMaxListeners(100); // each queue and worker adds some
  }

  get options(): Pool['options'] {
    return this.pool.options;
  }

  async query(text: string, values?: unknown[]): Promise<QueryResult> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.pool.query(text, values);
      } catch (error) {
        if (tries >= MAX_TRIES || !TRY_AGAIN.has((error as { code?: unknown }).code)) throw error;
        this.retries++;
        await pause(Math.random() * PAUSE_MS * tries);
      }
    }
  }

  connect(): Promise<PoolClient> {
    return this.pool.connect();
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  on(event: 'error', listener: (error: Error) => void): this {
    this.pool.on(event, listener);
    return this;
  }
}
