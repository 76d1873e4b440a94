import { setTimeout as pause } from 'node:timers/promises';
import { Clock } from '../../../dist/src/platform/clock.js';

/** As in `scaled-clock.ts`, which says why. */
const UNSCALED_SLEEP_MS = 1_000;
const SHORTEST_SLEEP_MS = 500;

/** `scaled-clock.ts` for a worker process from the build; the same base gives the same time. */
export class WorkerClock extends Clock {
  constructor({ scale, base }) {
    super();
    this.scale = scale;
    this.base = base;
  }

  now() {
    return new Date(this.base + (Date.now() - this.base) * this.scale);
  }

  async sleep(ms, signal) {
    if (ms <= 0 || signal?.aborted) return;
    await pause(ms <= UNSCALED_SLEEP_MS ? ms : Math.max(ms / this.scale, SHORTEST_SLEEP_MS), undefined, {
      signal,
    }).catch(() => undefined);
  }
}
