import { type Redis } from 'ioredis';
import { type Logger } from 'pino';
import { errorFields } from '../platform/log.js';
import { RedisErrors } from './redis-connection.js';

/** Redis that failed is left alone for this long, so that one that hangs does not hold up each caller. */
const AWAY_MS = 1_000;

/** A Redis that may be away: its callers go on without it, and the log says once that it has gone and that it is back. */
export class OptionalRedis {
  isAway = false;
  private awayUntil = 0;
  private readonly errors: RedisErrors;

  /** @param says the messages of the log */
  constructor(
    redis: Redis,
    private readonly log: Logger,
    private readonly says: { readonly away: string; readonly back: string },
  ) {
    this.errors = new RedisErrors(redis);
  }

  /** @returns null when Redis does not answer */
  async ask<Result>(command: () => Promise<Result>): Promise<Result | null> {
    if (performance.now() < this.awayUntil) return null;
    try {
      const result = await command();
      if (this.isAway) this.log.info(this.says.back);
      this.isAway = false;
      return result;
    } catch (error) {
      this.awayUntil = performance.now() + AWAY_MS;
      if (!this.isAway) this.log.warn(errorFields(this.errors.explain(error)), this.says.away);
      this.isAway = true;
      return null;
    }
  }
}
