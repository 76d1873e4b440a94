import { ExchangeError } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type CancelSignal } from './cancellation.js';

/*
 * Limits simultaneous calls to a device: one write and three reads. Small devices accept ten connections and serve one
 * request at a time. Further calls wait in one queue per operator, served round-robin, so that a script with a
 * thousand calls does not delay the one call of another operator. While others wait, one operator has at most two of the
 * three reads: calls to a path that hangs delay others by one deadline at most.
 */

export type SlotKind = 'read' | 'write';

const AT_ONCE: Readonly<Record<SlotKind, number>> = { read: 3, write: 1 };

/** The most calls of one operator while others wait. */
const AT_ONCE_BESIDE_OTHERS: Readonly<Record<SlotKind, number>> = { read: 2, write: 1 };

/** The most waiting reads, and the most waiting writes, of a device; each holds a request of an operator in memory. */
const MAX_WAITING = 2_000;

/** The longest wait; most callers have given up before. */
export const MAX_WAIT_MS = 60_000;

/** The interval of checks for long waits; a timer for each would cost more than its call. */
const CHECK_EVERY_MS = 1_000;

/**
 * Idle entries that stay, about 100 bytes each. A map whose entries come and go with each call is rebuilt all the time,
 * and its dead tables move calls into V8's old generation (see auth/access/running-answers.ts).
 */
const MAX_IDLE_ENTRIES = 20_000;

interface Waiter {
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The slots of one kind on one device, and the calls that wait for them. */
interface DeviceQueue {
  /** The callers of the running calls. */
  readonly running: string[];
  waiting: number;
  /** Queues by caller, the next one to serve first. All entries without a waiter share one map. */
  callers: Map<string, Waiter[]>;
}

/** Always empty: most entries never have a waiter. */
const NO_WAITERS: Map<string, Waiter[]> = new Map();

export class Slots {
  private readonly deviceQueues: Readonly<Record<SlotKind, Map<string, DeviceQueue>>> = {
    read: new Map(),
    write: new Map(),
  };
  private waiting = 0;
  private checks: NodeJS.Timeout | null = null;

  /** Takes a slot if one is free and no call waits: the common case, without a promise. */
  tryAcquire(deviceId: string, kind: SlotKind, caller: string): boolean {
    const device = this.deviceQueues[kind].get(deviceId);
    if (!device) {
      this.deviceQueues[kind].set(deviceId, { running: [caller], waiting: 0, callers: NO_WAITERS });
      return true;
    }
    if (device.running.length >= AT_ONCE[kind] || device.waiting > 0) return false;
    device.running.push(caller);
    return true;
  }

  /**
   * Waits for a slot.
   * @param caller as `countedAs` gives it
   * @throws AppError `device_queue_full`: too many wait, or the wait was too long; ExchangeError when it is cancelled
   */
  acquire(deviceId: string, kind: SlotKind, caller: string, cancellation: CancelSignal): Promise<void> {
    if (this.tryAcquire(deviceId, kind, caller)) return Promise.resolve();
    const device = this.deviceQueues[kind].get(deviceId)!;
    if (device.waiting >= MAX_WAITING) return Promise.reject(new AppError('device_queue_full', { limit: MAX_WAITING }));
    if (cancellation.isCancelled) return Promise.reject(new ExchangeError('aborted'));
    this.checks ??= setInterval(() => this.checkWaits(), CHECK_EVERY_MS).unref();
    return new Promise((resolve, reject) => {
      const waiter = { since: performance.now(), resolve, reject };
      if (device.callers === NO_WAITERS) device.callers = new Map();
      const queue = device.callers.get(caller);
      if (queue) queue.push(waiter);
      else device.callers.set(caller, [waiter]);
      device.waiting++;
      this.waiting++;
      cancellation.onCancel(() => this.removeWaiter(device, caller, waiter, new ExchangeError('aborted')));
    });
  }

  /** Releases a slot; the next waiter gets it. */
  release(deviceId: string, kind: SlotKind, caller: string): void {
    const device = this.deviceQueues[kind].get(deviceId)!;
    device.running.splice(device.running.indexOf(caller), 1);
    for (const [next, queue] of device.callers) {
      const others = device.running.filter((one) => one !== next).length;
      if (device.callers.size > 1 && device.running.length - others >= AT_ONCE_BESIDE_OTHERS[kind]) continue;
      device.waiting--;
      this.waiting--;
      device.running.push(next);
      const { resolve } = queue.shift()!;
      device.callers.delete(next);
      if (queue.length > 0) device.callers.set(next, queue); // to the end: the other queues come first
      resolve();
      return;
    }
    if (device.running.length === 0 && this.deviceQueues[kind].size > MAX_IDLE_ENTRIES)
      this.deviceQueues[kind].delete(deviceId);
  }

  /** Whether a call waits for a slot. */
  isWaitedFor(deviceId: string, kind: SlotKind): boolean {
    return (this.deviceQueues[kind].get(deviceId)?.waiting ?? 0) > 0;
  }

  /** For operators: the load of a device. */
  describe(deviceId: string): Record<SlotKind, { taken: number; waiting: number }> {
    const of = (kind: SlotKind) => {
      const { running = [], waiting = 0 } = this.deviceQueues[kind].get(deviceId) ?? {};
      return { taken: running.length, waiting };
    };
    return { read: of('read'), write: of('write') };
  }

  private checkWaits(): void {
    const before = performance.now() - MAX_WAIT_MS;
    for (const byDevice of Object.values(this.deviceQueues)) {
      for (const device of byDevice.values()) {
        for (const [caller, queue] of device.callers) {
          for (const waiter of queue.filter(({ since }) => since < before)) {
            this.removeWaiter(device, caller, waiter, new AppError('device_queue_full', { waitedMs: MAX_WAIT_MS }));
          }
        }
      }
    }
    if (this.waiting > 0 || !this.checks) return;
    clearInterval(this.checks);
    this.checks = null;
  }

  private removeWaiter(device: DeviceQueue, caller: string, waiter: Waiter, error: Error): void {
    const queue = device.callers.get(caller);
    const index = queue?.indexOf(waiter) ?? -1;
    if (index < 0) return; // it already has its slot
    queue!.splice(index, 1);
    if (queue!.length === 0) device.callers.delete(caller);
    device.waiting--;
    this.waiting--;
    waiter.reject(error);
  }
}
