import { Injectable } from '@nestjs/common';
import { ExchangeError } from '../../device-api/http.js';
import { type Gone } from '../connections/gone.js';
import { Pace } from './pace.js';

/*
 * Admission of background calls, of fan-outs and jobs. As many run as the event loop bears without delay (pace.ts), so
 * that interactive calls are answered in between. Fan-outs go first, since people watch their lines; then jobs started
 * by people, then jobs of rollouts. Within each, those that have begun go first: waiting closes their connections, and
 * opening one again costs ten times a call. One in eight goes to the longest waiter, so that no queue starves another.
 */

/** The interval of lag measurements. However large the lag, each measurement admits one more job. */
const TICK_MS = 20;

/**
 * Calls of jobs that begin in one turn of the event loop: beginning a handshake takes a third of a millisecond. With
 * twice as many nothing finished sooner, and a due poll came 19 ms late at p50 instead of 5.
 */
const STARTS_A_TURN = 8;

/** A longer call waits for its device or moves a file, and does not keep the loop busy. */
const COUNTED_MS = 300;

/** One in this many goes to the longest waiter. */
const LONGEST_EVERY = 8;

/** A running call. */
export interface CallPermit {
  readonly since: number;
  isCounted: boolean;
}

/** The properties that choose the queue of a job's call. */
export interface Standing {
  /** Whether a rollout started it. */
  readonly isBulk: boolean;
  /** Whether its connection is open, or was a moment ago. */
  readonly hasBegun: boolean;
}

interface Waiter {
  readonly since: number;
  readonly resolve: (place: CallPermit) => void;
}

@Injectable()
export class BackgroundCalls {
  readonly pace = new Pace();
  private fanOuts = 0;
  /** Counted calls, and all permits of the last moments, oldest first. */
  private counted = 0;
  private readonly recent: CallPermit[] = [];
  /** By `lineOf`; the first queue is served first. */
  private readonly lines: readonly Waiter[][] = [[], [], [], []];
  private begun = 0;
  private startsLeft = STARTS_A_TURN;
  private isCounting = false;
  private ticking: NodeJS.Timeout | null = null;

  /** Whether one more call of a fan-out may begin. */
  get hasRoom(): boolean {
    return this.fanOuts < this.pace.atOnce;
  }

  fanOutBegan(): CallPermit {
    this.fanOuts++;
    this.tick();
    return this.take();
  }

  fanOutEnded(place: CallPermit): void {
    this.fanOuts--;
    this.leave(place);
  }

  /** Waits until a call of a job may begin. @throws ExchangeError when `gone` happens */
  enter(standing: Standing, gone: Gone): Promise<CallPermit> {
    if (gone.happened) return Promise.reject(new ExchangeError('aborted'));
    this.tick();
    return new Promise((resolve, reject) => {
      const line = this.lines[lineOf(standing)]!;
      const waiter: Waiter = {
        since: performance.now(),
        resolve: (place) => {
          gone.watch(null);
          resolve(place);
        },
      };
      line.push(waiter);
      gone.watch(() => {
        const index = line.indexOf(waiter);
        if (index < 0) return;
        line.splice(index, 1);
        reject(new ExchangeError('aborted'));
      });
      this.begin();
    });
  }

  leave(place: CallPermit): void {
    this.discount(place);
    this.begin();
  }

  private get isWaited(): boolean {
    return this.lines.some((line) => line.length > 0);
  }

  /** Admits as many waiters as are allowed, in one turn of the event loop at a time. */
  private begin(): void {
    while (this.startsLeft > 0 && this.counted < this.pace.atOnce && this.isWaited) this.letIn();
  }

  private letIn(): void {
    const line = ++this.begun % LONGEST_EVERY === 0 ? this.longest() : this.lines.find(({ length }) => length > 0)!;
    const next = line.shift()!;
    this.startsLeft--;
    this.countTurn();
    next.resolve(this.take());
  }

  private longest(): Waiter[] {
    return this.lines.reduce((one, other) =>
      (other[0]?.since ?? Infinity) < (one[0]?.since ?? Infinity) ? other : one,
    );
  }

  private take(): CallPermit {
    const place: CallPermit = { since: performance.now(), isCounted: true };
    this.recent.push(place);
    this.counted++;
    return place;
  }

  private discount(place: CallPermit): void {
    if (!place.isCounted) return;
    place.isCounted = false;
    this.counted--;
  }

  private countTurn(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    setImmediate(() => {
      this.isCounting = false;
      this.startsLeft = STARTS_A_TURN;
      this.begin();
    });
  }

  private tick(): void {
    if (this.ticking) return;
    let due = performance.now() + TICK_MS;
    this.ticking = setInterval(() => {
      const now = performance.now();
      this.pace.note(now - due, this.counted);
      due = now + TICK_MS;
      this.forget(now);
      this.begin();
      if (this.startsLeft > 0 && this.isWaited) this.letIn();
      if (this.recent.length > 0 || this.fanOuts > 0 || this.isWaited) return;
      clearInterval(this.ticking!);
      this.ticking = null;
    }, TICK_MS).unref();
  }

  /** Drops ended calls and long ones. */
  private forget(now: number): void {
    const kept = this.recent.findIndex(({ since, isCounted }) => isCounted && now - since < COUNTED_MS);
    for (const place of this.recent.splice(0, kept < 0 ? this.recent.length : kept)) this.discount(place);
  }
}

function lineOf({ isBulk, hasBegun }: Standing): number {
  return (isBulk ? 2 : 0) + (hasBegun ? 0 : 1);
}
