import { setTimeout as pause } from 'node:timers/promises';

/** The only source of time for services; tests put a clock in its place that moves when told to. */
export abstract class Clock {
  abstract now(): Date;

  /** The same in milliseconds: for the road of a call, which asks ten times and keeps no date. */
  nowMs(): number {
    return this.now().getTime();
  }

  /** Waits `ms` milliseconds; ends early, without an error, when the signal aborts. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date(this.nowMs());
  }

  override nowMs(): number {
    return Date.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return;
    await pause(ms, undefined, signal ? { signal } : undefined).catch((error: unknown) => {
      if (!signal?.aborted) throw error;
    });
  }
}
