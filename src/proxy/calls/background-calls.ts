import { Injectable } from '@nestjs/common';
import { ExchangeError } from '../../device-api/http.js';
import { type Gone } from '../connections/gone.js';
import { Pace } from './pace.js';

/*
 * Calls that nobody waits for in person, of fan-outs and of jobs: as many are under way as the event loop bears without
 * being late (pace.ts), so that calls of people are answered beside them. Fan-outs go first, since somebody looks at their
 * lines; then jobs that people started, then those of rollouts; and of either those that have begun before those that begin:
 * their connections are closed while they wait, and to open one again costs ten times what a call does. One in eight goes
 * to whoever has waited longest, so that no line keeps another one waiting for ever.
 */

/** How often the event loop is asked whether it comes in time. However late it is, one more job may call each time. */
const TICK_MS = 20;

/**
 * Calls of jobs that begin in one turn of the event loop: a handshake takes a third of a millisecond to begin. With twice as
 * many nothing was done sooner, and a poll that was due came 19 ms late at p50 instead of 5.
 */
const STARTS_A_TURN = 8;

/** A call that takes longer waits for its device or moves a file: it is not what keeps the loop busy. */
const COUNTED_MS = 300;

/** One in so many goes to whoever has waited longest. */
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
  readonly resolve: (place: CallPermit) => void;
}

@Injectable()
export class BackgroundCalls {
  readonly pace = new Pace();
  private fanOuts = 0;
  /** Calls that count, and all places of the last moments, the oldest first. */
  private counted = 0;
  private readonly recent: CallPermit[] = [];
  /** By `lineOf`; those of the first are served first. */
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

  /** Lets in whom there is room for, those of one turn of the event loop at a time. */
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

  /** Those that have ended, and those that take long. */
  private forget(now: number): void {
    const kept = this.recent.findIndex(({ since, isCounted }) => isCounted && now - since < COUNTED_MS);
    for (const place of this.recent.splice(0, kept < 0 ? this.recent.length : kept)) this.discount(place);
  }
}

function lineOf({ isBulk, hasBegun }: Standing): number {
  return (isBulk ? 2 : 0) + (hasBegun ? 0 : 1);
}
