import { Injectable } from '@nestjs/common';
import { ExchangeError } from '../../device-api/http.js';
import { StartsPerTurn } from '../../platform/event-loop.js';
import { type CancelSignal } from '../connections/cancellation.js';

/*
 * May this call start now? The whole policy, by the class of the caller:
 *
 * | limit                      | of       | person           | job                       | fan-out                      | in             |
 * |----------------------------|----------|------------------|---------------------------|------------------------------|----------------|
 * | running calls              | process  | none             | by event-loop delay       | the same; goes before jobs   | `Admission`    |
 * | starts per event-loop turn | process  | none             | 8                         | 2 or 16 for each fan-out     | `StartsPerTurn`|
 * | calls of one site          | fan-out  |                  |                           | `perSite`, sites take turns  | `SiteQueues`   |
 * | logins at once             | process  | LOGINS_AT_ONCE   | 7/8 of it, after people   | 7/8 of it, after people      | `PriorityLimit`|
 * | calls of one device        | device   | 3 reads, 1 write | 3 reads, 1 write          | 3 reads, 1 write             | `Slots`        |
 *
 * The status sweep and health checks of rollouts run few calls at once; their logins are as those of a fan-out.
 *
 * Calls of jobs wait in four queues. Jobs of people go before those of batches; in each class, jobs with an open
 * connection go first, because a new connection costs ten times as much as a call. Every eighth permit goes to the call
 * that has waited longest, so that no queue starves.
 *
 * The capacity follows the delay of the event loop, because every step of a person's call waits for the loop. With fast
 * devices a dozen calls keep a core busy, and more only make turns longer. Slow devices need many running calls. So the
 * capacity falls by a fifth while the loop is late, and rises while it is on time. What counts as late depends on whether
 * a caller waited for a device within the last seconds (`Pace`).
 */

/** Calls of fan-outs and jobs of a process at once: the rest of the sockets is for people. */
const MAX_CAPACITY = 1_000;

/** How much of the event loop calls of fan-outs and jobs may take. */
interface Pace {
  /** The capacity falls while the loop is later than this. */
  readonly lateMs: number;
  /** The capacity rises while the loop is less late than this. */
  readonly onTimeMs: number;
  readonly minCapacity: number;
  /** Calls of one fan-out that begin in one turn of the event loop. */
  readonly fanOutPerTurn: number;
}

/**
 * While callers wait for devices. Their p99 beside a fan-out over 10,000 devices and 1,000 jobs was 25 to 60 ms, and
 * 60 to 220 ms with the other pace.
 */
const BESIDE_OTHERS: Pace = { lateMs: 4, onTimeMs: 2, minCapacity: 4, fanOutPerTurn: 2 };

/** While none does. A cold fan-out over 1,000 devices took 2.3 s, and 3.2 s with the other pace. */
const ALONE: Pace = { lateMs: 8, onTimeMs: 3, minCapacity: 32, fanOutPerTurn: 16 };

/** A caller is expected to call a device again within this time. */
const NEXT_CALL_MS = 2_000;

/** With 2 in its place, slow devices delay a fan-out: the capacity grows by 100 calls a second. */
const INCREASE = 8;
const DECREASE_FACTOR = 0.8;

/** How often the delay of the event loop is measured. Each time at least one more call may start, even when the loop is late. */
const TICK_MS = 20;

/**
 * Calls of jobs that start in one turn of the event loop: starting a handshake takes a third of a millisecond. With
 * twice as many, polls came 19 ms late at p50 instead of 5, and nothing was faster.
 */
const JOBS_PER_TURN = 8;

/** A longer call waits for its device or transfers a file: it does not keep the loop busy. */
const COUNTED_MS = 300;

/** Every such permit goes to the call that has waited longest. */
const LONGEST_EVERY = 8;

/** A running call. */
export interface CallPermit {
  readonly since: number;
  isCounted: boolean;
}

/** Decides in which queue a job's call waits. */
export interface CallPriority {
  /** Whether a rollout or a backup policy started the job. */
  readonly isBulk: boolean;
  /** Whether a connection to the device is open, or was a moment ago. */
  readonly hasConnection: boolean;
}

interface Waiter {
  readonly since: number;
  readonly resolve: (permit: CallPermit) => void;
}

@Injectable()
export class Admission {
  /** Calls of jobs and fan-outs that may run now. */
  capacity = MAX_CAPACITY;
  private fanOuts = 0;
  /** Calls that count against the capacity, and all recent permits, the oldest first. */
  private counted = 0;
  private readonly recent: CallPermit[] = [];
  /** By `queueIndexOf`; the first is served first. */
  private readonly queues: readonly Waiter[][] = [[], [], [], []];
  private started = 0;
  private readonly starts = new StartsPerTurn(
    () => JOBS_PER_TURN,
    () => this.startWaiting(),
  );
  private ticking: NodeJS.Timeout | null = null;
  private pace = ALONE;
  private interactiveAt = Number.NEGATIVE_INFINITY;

  /** Whether one more call of a fan-out may start. */
  get hasCapacity(): boolean {
    return this.fanOuts < this.capacity;
  }

  get fanOutPerTurn(): number {
    return this.pace.fanOutPerTurn;
  }

  /** Tells of a call that its caller waits for. @param at by `performance.now()` */
  interactiveStarted(at: number): void {
    this.interactiveAt = at;
    this.pace = BESIDE_OTHERS;
  }

  fanOutStarted(): CallPermit {
    this.fanOuts++;
    this.tick();
    return this.take();
  }

  fanOutEnded(permit: CallPermit): void {
    this.fanOuts--;
    this.release(permit);
  }

  /**
   * Waits until a call of a job may start.
   * @throws ExchangeError when it is cancelled
   */
  acquire(priority: CallPriority, cancellation: CancelSignal): Promise<CallPermit> {
    if (cancellation.isCancelled) return Promise.reject(new ExchangeError('aborted'));
    this.tick();
    return new Promise((resolve, reject) => {
      const queue = this.queues[queueIndexOf(priority)]!;
      const waiter: Waiter = {
        since: performance.now(),
        resolve: (permit) => {
          cancellation.onCancel(null);
          resolve(permit);
        },
      };
      queue.push(waiter);
      cancellation.onCancel(() => {
        const index = queue.indexOf(waiter);
        if (index >= 0) queue.splice(index, 1);
        reject(new ExchangeError('aborted'));
      });
      this.startWaiting();
    });
  }

  release(permit: CallPermit): void {
    this.stopCounting(permit);
    this.startWaiting();
  }

  /**
   * Adapts the capacity to the delay of the event loop.
   * @param lateMs how late a timer of the loop fired
   * @param underWay calls that ran in that time
   */
  adapt(lateMs: number, underWay: number): void {
    const { lateMs: late, onTimeMs, minCapacity } = this.pace;
    if (lateMs > late)
      this.capacity = Math.max(minCapacity, Math.floor(Math.min(this.capacity, underWay) * DECREASE_FACTOR));
    else if (lateMs < onTimeMs) this.capacity = Math.min(MAX_CAPACITY, this.capacity + INCREASE);
  }

  private get isWaited(): boolean {
    return this.queues.some((queue) => queue.length > 0);
  }

  private startWaiting(): void {
    while (this.counted < this.capacity && this.startNext());
  }

  /** @returns whether a call was waiting and could start in this turn of the event loop */
  private startNext(): boolean {
    if (!this.isWaited || !this.starts.take()) return false;
    const queue =
      ++this.started % LONGEST_EVERY === 0 ? this.longestWaiting() : this.queues.find(({ length }) => length > 0)!;
    queue.shift()!.resolve(this.take());
    return true;
  }

  private longestWaiting(): Waiter[] {
    return this.queues.reduce((one, other) =>
      (other[0]?.since ?? Infinity) < (one[0]?.since ?? Infinity) ? other : one,
    );
  }

  private take(): CallPermit {
    const permit: CallPermit = { since: performance.now(), isCounted: true };
    this.recent.push(permit);
    this.counted++;
    return permit;
  }

  private stopCounting(permit: CallPermit): void {
    if (permit.isCounted) this.counted--;
    permit.isCounted = false;
  }

  private tick(): void {
    if (this.ticking) return;
    let due = performance.now() + TICK_MS;
    this.ticking = setInterval(() => {
      const now = performance.now();
      if (now - this.interactiveAt > NEXT_CALL_MS) this.pace = ALONE;
      this.adapt(now - due, this.counted);
      due = now + TICK_MS;
      this.stopCountingSlow(now);
      this.startWaiting();
      this.startNext();
      if (this.recent.length > 0 || this.fanOuts > 0 || this.isWaited) return;
      clearInterval(this.ticking!);
      this.ticking = null;
    }, TICK_MS).unref();
  }

  /** Ended and long calls no longer count. */
  private stopCountingSlow(now: number): void {
    const kept = this.recent.findIndex(({ since, isCounted }) => isCounted && now - since < COUNTED_MS);
    for (const permit of this.recent.splice(0, kept < 0 ? this.recent.length : kept)) this.stopCounting(permit);
  }
}

function queueIndexOf({ isBulk, hasConnection }: CallPriority): number {
  return (isBulk ? 2 : 0) + (hasConnection ? 0 : 1);
}
