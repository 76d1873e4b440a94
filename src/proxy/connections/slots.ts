import { ExchangeError } from '../../device-api/http.js';
import { AppError } from '../../platform/errors.js';
import { type Gone } from './gone.js';

/*
 * How many calls a device gets at once: one that writes and three that read, since small devices serve ten in all and do
 * one thing at a time anyway. Those who come later wait in line: one line per caller, served in turn, so that a script that
 * sends a thousand calls does not keep the one call of a colleague waiting behind them.
 */

export type SlotKind = 'read' | 'write';

const AT_ONCE: Readonly<Record<SlotKind, number>> = { read: 3, write: 1 };

/** Waiting calls per device; each holds a request of an operator in memory. */
const MAX_WAITING = 2_000;

/** A call that waited this long is told so; its caller has mostly given up before. */
const MAX_WAIT_MS = 60_000;

/** The lines are looked through for those who waited too long this often; a timer for each would cost more than its call. */
const CHECK_EVERY_MS = 1_000;

/**
 * Gateways that stay when nobody is at them, about 100 bytes each. A map from which each call takes out what it put in
 * is made anew all the time, and its dead tables drag the calls that stood in them into the old generation (auth/
 * live-streams.ts tells how).
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
  /** Lines by caller, in the order in which it is their turn. One map for all gateways at which nobody has waited. */
  lines: Map<string, Waiter[]>;
}

/** Nothing is ever put in: at most gateways nobody ever waits. */
const NOBODY: Map<string, Waiter[]> = new Map();

export class Slots {
  private readonly gateways: Readonly<Record<SlotKind, Map<string, Gateway>>> = { read: new Map(), write: new Map() };
  private waiting = 0;
  private checks: NodeJS.Timeout | null = null;

  /** Takes a slot if one is free and nobody waits: the common case, without a promise. */
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
   * @param caller whose line to stand in
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

  /** Gives a slot back; whoever's turn it is gets it. */
  leave(deviceId: string, kind: SlotKind): void {
    const gateway = this.gateways[kind].get(deviceId)!;
    for (const [caller, line] of gateway.lines) {
      const next = line.shift()!;
      gateway.waiting--;
      this.waiting--;
      if (line.length === 0) gateway.lines.delete(caller);
      else if (gateway.lines.size > 1) {
        gateway.lines.delete(caller);
        gateway.lines.set(caller, line); // to the end: the others come first
      }
      next.resolve();
      return;
    }
    if (--gateway.taken === 0 && this.gateways[kind].size > KEPT) this.gateways[kind].delete(deviceId);
  }

  /** For people: what is going on at a device. */
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
    if (place < 0) return; // it has its slot already
    line!.splice(place, 1);
    if (line!.length === 0) gateway.lines.delete(caller);
    gateway.waiting--;
    this.waiting--;
    waiter.reject(error);
  }
}
