import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LATE_MS } from '../../devices/registry/reachability.js';

/** How often the event loop is looked at. */
const TICK_MS = 100;

/**
 * Whether this process may believe that a device is away: not when its event loop was late, and not while it doubts itself
 * (`reachability.ts`). The status sweep sets the doubt.
 */
@Injectable()
export class ReachabilityWatch implements OnModuleDestroy {
  /** Whether so many devices fail that the states of all stay as they are. */
  isDoubting = false;
  private tickedAt = performance.now();
  private lateAt = Number.NEGATIVE_INFINITY;
  private readonly timer = setInterval(() => this.tick(), TICK_MS).unref();

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @param since by `performance.now()` */
  wasLateSince(since: number): boolean {
    this.tick();
    return this.lateAt >= since;
  }

  /** Whether a failure of a call that began then counts against its device. */
  mayBelieve(since: number): boolean {
    return !this.isDoubting && !this.wasLateSince(since);
  }

  private tick(): void {
    const now = performance.now();
    if (now - this.tickedAt > TICK_MS + LATE_MS) this.lateAt = now;
    this.tickedAt = now;
  }
}
