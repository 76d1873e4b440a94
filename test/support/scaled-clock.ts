import { Clock, SystemClock } from '../../src/platform/clock.js';

/**
 * No sleep is made shorter than this. The gateway has a dozen sweepers that look once a second; at forty times the speed they
 * would ask the database 500 times a second, and a test would wait for little else.
 */
const SHORTEST_SLEEP_MS = 200;

/**
 * Real time, so many times faster: a gateway with it and a fleet with the same `timeScale` agree on how long things take.
 * @param base the instant at which both times are the same; processes that share a database share it
 */
export class ScaledClock extends Clock {
  private readonly real = new SystemClock();

  constructor(
    readonly scale: number,
    readonly base = Date.now(),
  ) {
    super();
  }

  now(): Date {
    return new Date(this.base + (Date.now() - this.base) * this.scale);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.real.sleep(Math.max(ms / this.scale, Math.min(ms, SHORTEST_SLEEP_MS)), signal);
  }
}
