import { Clock, SystemClock } from '../../src/platform/clock.js';

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
    return this.real.sleep(ms / this.scale, signal);
  }
}
