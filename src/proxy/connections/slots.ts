import { ExchangeError } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type Gone } from './gone.js';

/*
 * Limits simultaneous calls to a device: one write and three reads. Small devices serve ten requests in all, and one at
 * a time anyway. Later calls wait in one queue per caller, and queues take turns. So a script with a thousand calls
 * does not delay the one call of a colleague.
 */

export type SlotKind = 'read' | 'write';

const AT_ONCE: Readonly<Record<SlotKind, number>> = { read: 3, write: 1 };

/** The most waiting calls per device; each holds a request of an operator in memory. */
const MAX_WAITING = 2_000;

/** The longest wait; most callers have given up before. */
const MAX_WAIT_MS = 60_000;

/** The interval of checks for long waits; a timer for each would cost more than its call. */
const CHECK_EVERY_MS = 1_000;

/**
 * Idle entries that stay, about 100 bytes each. A map in which each call adds and removes an entry gets a new table all
 * the time. Its dead tables move the calls in them into the old generation (see auth/access/live-streams.ts).
 */
const KEPT = 20_000;

interface Waiter {
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** One kind of slot on one device. */
interface Gateway {
  taken: number;
  waiting: number;
  /** Queues by caller, in the order of their turns. All entries without a waiter share one map. */
  lines: Map<string, Waiter[]>;
}

/** Always empty: most entries never have a waiter. */
const NOBODY: Map<string, Waiter[]> = new Map();

export class Slots {
  private readonly gateways: Readonly<Record<SlotKind, Map<string, Gateway>>> = { read: new Map(), write: new Map() };
  private waiting = 0;
  private checks: NodeJS.Timeout | null = null;

  /** Takes a slot if one is free and no call waits: the common case, without a promise. */
  tryEnter(deviceId: string, kind: SlotKind): boolean {
    const gateway = this.gateways[kind].get(deviceId);
    if (!gateway) {
      this.gateways[kind].set(deviceId, { taken: 1, waiting: 0, lines: NOBODY });
      return true;
    }
    if (gateway.taken >= AT_ONCE[kind] || gateway.waiting > 0) return false;
    gateway.taken++;
    return true;
  }

  /**
   * Waits for a slot.
   * @param caller the key of its queue
   * @throws AppError `device_queue_full`: too many wait, or the wait was too long; ExchangeError when `gone` happens
   */
  enter(deviceId: string, kind: SlotKind, caller: string, gone: Gone): Promise<void> {
    if (this.tryEnter(deviceId, kind)) return Promise.resolve();
    const gateway = this.gateways[kind].get(deviceId)!;
    if (gateway.waiting >= MAX_WAITING)
      return Promise.reject(new AppError('device_queue_full', { limit: MAX_WAITING }));
    if (gone.happened) return Promise.reject(new ExchangeError('aborted'));
    this.checks ??= setInterval(() => this.checkWaits(), CHECK_EVERY_MS).unref();
    return new Promise((resolve, reject) => {
      const waiter = { since: performance.now(), resolve, reject };
      if (gateway.lines === NOBODY) gateway.lines = new Map();
      const line = gateway.lines.get(caller);
      if (line) line.push(waiter);
      else gateway.lines.set(caller, [waiter]);
      gateway.waiting++;
      this.waiting++;
      gone.watch(() => this.leaveLine(gateway, caller, waiter, new ExchangeError('aborted')));
    });
  }

  /** Releases a slot; the next waiter gets it. */
  leave(deviceId: string, kind: SlotKind): void {
    const gateway = this.gateways[kind].get(deviceId)!;
    for (const [caller, line] of gateway.lines) {
      const next = line.shift()!;
      gateway.waiting--;
      this.waiting--;
      if (line.length === 0) gateway.lines.delete(caller);
      else if (gateway.lines.size > 1) {
        gateway.lines.delete(caller);
        gateway.lines.set(caller, line); // to the end: the other queues come first
      }
      next.resolve();
      return;
    }
    if (--gateway.taken === 0 && this.gateways[kind].size > KEPT) this.gateways[kind].delete(deviceId);
  }

  /** For operators: the load of a device. */
  describe(deviceId: string): Record<SlotKind, { taken: number; waiting: number }> {
    const of = (kind: SlotKind) => {
      const { taken = 0, waiting = 0 } = this.gateways[kind].get(deviceId) ?? {};
      return { taken, waiting };
    };
    return { read: of('read'), write: of('write') };
  }

  private checkWaits(): void {
    const before = performance.now() - MAX_WAIT_MS;
    for (const gateways of Object.values(this.gateways)) {
      for (const gateway of gateways.values()) {
        for (const [caller, line] of gateway.lines) {
          for (const waiter of line.filter(({ since }) => since < before)) {
            this.leaveLine(gateway, caller, waiter, new AppError('device_queue_full', { waitedMs: MAX_WAIT_MS }));
          }
        }
      }
    }
    if (this.waiting > 0 || !this.checks) return;
    clearInterval(this.checks);
    this.checks = null;
  }

  private leaveLine(gateway: Gateway, caller: string, waiter: Waiter, error: Error): void {
    const line = gateway.lines.get(caller);
    const place = line?.indexOf(waiter) ?? -1;
    if (place < 0) return; // it already has its slot
    line!.splice(place, 1);
    if (line!.length === 0) gateway.lines.delete(caller);
    gateway.waiting--;
    this.waiting--;
    waiter.reject(error);
  }
}
