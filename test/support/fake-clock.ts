import { Clock } from '../../src/platform/clock.js';

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** Time that stands still until a test moves it. */
export class FakeClock extends Clock {
  private readonly sleepers = new Set<Sleeper>();

  constructor(private ms = Date.parse('2026-03-02T08:00:00Z')) {
    super();
  }

  now(): Date {
    return new Date(this.ms);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        wakeAt: this.ms + ms,
        wake: () => {
          this.sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Moves time on and wakes who slept until then. */
  pass(ms: number): void {
    this.ms += ms;
    // A copy: who wakes leaves the set.
    for (const sleeper of Array.from(this.sleepers)) if (sleeper.wakeAt <= this.ms) sleeper.wake();
  }
}
