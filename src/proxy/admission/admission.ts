import { Injectable } from '@nestjs/common';
import { ExchangeError } from '../../device-api/http.js';
import { StartsPerTurn } from '../../platform/event-loop.js';
import { type Gone } from '../connections/gone.js';

/*
 * May this call start now? The whole policy, by the class of the caller:
 *
 * | limit                      | of       | person           | job                       | fan-out                      | in             |
 * |----------------------------|----------|------------------|---------------------------|------------------------------|----------------|
 * | calls under way            | process  | none             | what the event loop bears | the same; goes before jobs   | `Admission`    |
 * | starts per event-loop turn | process  | none             | 8                         | 16 for each fan-out          | `StartsPerTurn`|
 * | calls of one site          | fan-out  |                  |                           | `perSite`, sites take turns  | `SiteQueues`   |
 * | logins at once             | process  | LOGINS_AT_ONCE   | 7/8 of it, after people   | 7/8 of it, after people      | `LoginLimit`   |
 * | calls of one device        | device   | 3 reads, 1 write | 3 reads, 1 write          | 3 reads, 1 write             | `Slots`        |
 *
 * Jobs wait in four lines: those that people started go before those of rollouts, and in each of the two a job that has
 * begun goes before one that begins. Its connection is closed while it waits, and a new one costs ten times what a call
 * does. One in eight goes to the job that has waited longest, so that no line starves.
 *
 * Calls of people wait for the event loop, once for each of their steps. Devices that answer at once keep a core busy with a
 * dozen calls, so that more only make turns longer; slow ones need many under way, and leave the loop free. So the number
 * follows the delay of the loop: a fifth less while it is late, more again while it is not.
 */

/** Calls of fan-outs and jobs of a process at once: the rest of the sockets is for people. */
const MOST = 1_000;

/** Enough to keep a core busy with devices that answer from nearby. */
const LEAST = 32;

/** A turn that is longer is felt by people; one that is shorter leaves room for more. */
const LONG_MS = 8;
const SHORT_MS = 3;

const STEP_UP = 16;
const PART_DOWN = 0.8;

/** How often the delay of the event loop is measured. However late it is, one more job may call each time. */
const TICK_MS = 20;

/**
 * Calls of jobs that begin in one turn of the event loop: a handshake takes a third of a millisecond to begin. With twice as
 * many nothing was done sooner, and a poll that was due came 19 ms late at p50 instead of 5.
 */
const JOBS_PER_TURN = 8;

/** Calls of one fan-out that begin in one turn of the event loop. */
export const FAN_OUT_PER_TURN = 16;

/** A call that takes longer waits for its device or moves a file: it is not what keeps the loop busy. */
const COUNTED_MS = 300;

/** One in so many goes to the job that has waited longest. */
const LONGEST_EVERY = 8;

/** A call under way. */
export interface CallPermit {
  readonly since: number;
  isCounted: boolean;
}

/** What decides in which line a job's call stands. */
export interface Standing {
  /** A rollout started it. */
  readonly isBulk: boolean;
  /** Its connection is open, or was a moment ago. */
  readonly hasBegun: boolean;
}

interface Waiter {
  readonly since: number;
  readonly resolve: (permit: CallPermit) => void;
}

@Injectable()
export class Admission {
  /** Calls of jobs and fan-outs that may be under way now. */
  capacity = MOST;
  private fanOuts = 0;
  /** Calls that count, and all permits of the last moments, the oldest first. */
  private counted = 0;
  private readonly recent: CallPermit[] = [];
  /** By `lineOf`; those of the first are served first. */
  private readonly lines: readonly Waiter[][] = [[], [], [], []];
  private begun = 0;
  private readonly starts = new StartsPerTurn(JOBS_PER_TURN, () => this.begin());
  private ticking: NodeJS.Timeout | null = null;

  /** Whether one more call of a fan-out may begin. */
  get hasRoom(): boolean {
    return this.fanOuts < this.capacity;
  }

  fanOutBegan(): CallPermit {
    this.fanOuts++;
    this.tick();
    return this.take();
  }

  fanOutEnded(permit: CallPermit): void {
    this.fanOuts--;
    this.leave(permit);
  }

  /**
   * Waits until a call of a job may begin.
   * @throws ExchangeError when `gone` happens
   */
  enter(standing: Standing, gone: Gone): Promise<CallPermit> {
    if (gone.happened) return Promise.reject(new ExchangeError('aborted'));
    this.tick();
    return new Promise((resolve, reject) => {
      const line = this.lines[lineOf(standing)]!;
      const waiter: Waiter = {
        since: performance.now(),
        resolve: (permit) => {
          gone.watch(null);
          resolve(permit);
        },
      };
      line.push(waiter);
      gone.watch(() => {
        const index = line.indexOf(waiter);
        if (index >= 0) line.splice(index, 1);
        reject(new ExchangeError('aborted'));
      });
      this.begin();
    });
  }

  leave(permit: CallPermit): void {
    this.discount(permit);
    this.begin();
  }

  /**
   * Follows the delay of the event loop.
   * @param lateMs how much later than asked for a timer of the loop has come
   * @param underWay calls that were under way in that time
   */
  adapt(lateMs: number, underWay: number): void {
    if (lateMs > LONG_MS) this.capacity = Math.max(LEAST, Math.floor(Math.min(this.capacity, underWay) * PART_DOWN));
    else if (lateMs < SHORT_MS) this.capacity = Math.min(MOST, this.capacity + STEP_UP);
  }

  private get isWaited(): boolean {
    return this.lines.some((line) => line.length > 0);
  }

  private begin(): void {
    while (this.counted < this.capacity && this.letIn());
  }

  /** @returns whether one was waiting, and might start in this turn of the event loop */
  private letIn(): boolean {
    if (!this.isWaited || !this.starts.take()) return false;
    const line = ++this.begun % LONGEST_EVERY === 0 ? this.longest() : this.lines.find(({ length }) => length > 0)!;
    line.shift()!.resolve(this.take());
    return true;
  }

  private longest(): Waiter[] {
    return this.lines.reduce((one, other) =>
      (other[0]?.since ?? Infinity) < (one[0]?.since ?? Infinity) ? other : one,
    );
  }

  private take(): CallPermit {
    const permit: CallPermit = { since: performance.now(), isCounted: true };
    this.recent.push(permit);
    this.counted++;
    return permit;
  }

  private discount(permit: CallPermit): void {
    if (permit.isCounted) this.counted--;
    permit.isCounted = false;
  }

  private tick(): void {
    if (this.ticking) return;
    let due = performance.now() + TICK_MS;
    this.ticking = setInterval(() => {
      const now = performance.now();
      this.adapt(now - due, this.counted);
      due = now + TICK_MS;
      this.forget(now);
      this.begin();
      this.letIn();
      if (this.recent.length > 0 || this.fanOuts > 0 || this.isWaited) return;
      clearInterval(this.ticking!);
      this.ticking = null;
    }, TICK_MS).unref();
  }

  /** Those that have ended, and those that take long. */
  private forget(now: number): void {
    const kept = this.recent.findIndex(({ since, isCounted }) => isCounted && now - since < COUNTED_MS);
    for (const permit of this.recent.splice(0, kept < 0 ? this.recent.length : kept)) this.discount(permit);
  }
}

function lineOf({ isBulk, hasBegun }: Standing): number {
  return (isBulk ? 2 : 0) + (hasBegun ? 0 : 1);
}
