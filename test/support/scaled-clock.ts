import { Clock, SystemClock } from '../../src/platform/clock.js';

/**
 * Sleeps of up to a second keep their length: a dozen sweepers look once a second, and at forty times the speed they would
 * ask the database 500 times a second. Longer ones, of jobs that wait for a device, are never shorter than half of it.
 */
const UNSCALED_SLEEP_MS = 1_000;
const SHORTEST_SLEEP_MS = 500;

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
    return this.real.sleep(ms <= UNSCALED_SLEEP_MS ? ms : Math.max(ms / this.scale, SHORTEST_SLEEP_MS), signal);
  }
}
