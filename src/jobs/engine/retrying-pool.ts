import { setTimeout as pause } from 'node:timers/promises';
import { type Pool, type PoolClient, type QueryResult } from 'pg';
import { withTimeout } from '../../platform/with-timeout.js';

/** PostgreSQL, Appendix A: serialization_failure and deadlock_detected. Both mean "nothing was done, try again". */
const TRY_AGAIN: ReadonlySet<unknown> = new Set(['40001', '40P01']);

/** Deadlocks come in bursts; in measured runs with 77 of them no statement had more than a few in a row. */
const MAX_TRIES = 10;

const PAUSE_MS = 20;

/** Connections not returned after this time are cut: a consumer that was closed during its start can leave one. */
const END_WITHIN_MS = 2_000;

/**
 * A pool whose statements survive deadlocks.
 *
 * The Postgres backend of BullMQ 6.7 promotes delayed jobs without `skip locked`, so two consumers deadlock now and
 * then; what then fails is the *completion* of a ticket, and BullMQ records the ticket as failed. Each of its commands is
 * one statement, thus one transaction, so the victim can simply be sent again.
 */
export class RetryingPool {
  /** The number of repeated statements. */
  retries = 0;

  private readonly clients = new Set<PoolClient>();

  constructor(private readonly pool: Pool) {
    pool.setMaxListeners(100); // each queue and consumer adds some
    pool.on('connect', (client) => this.clients.add(client));
    pool.on('remove', (client) => this.clients.delete(client));
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

  async end(): Promise<void> {
    await withTimeout(END_WITHIN_MS, this.pool.end(), () => this.cutOff());
  }

  on(event: 'error', listener: (error: Error) => void): this {
    this.pool.on(event, listener);
    return this;
  }

  private async cutOff(): Promise<void> {
    // `end` is a client's own, which the types of pooled ones leave out.
    await Promise.allSettled([...this.clients].map((client) => (client as unknown as { end(): Promise<void> }).end()));
  }
}
