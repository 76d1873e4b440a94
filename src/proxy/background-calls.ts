import { Injectable } from '@nestjs/common';
import { ExchangeError } from '../device-api/http.js';
import { type Gone } from './gone.js';
import { Pace } from './pace.js';

/*
 * Calls that nobody waits for in person, of fan-outs and of jobs: as many are under way as the event loop bears without
 * being late (pace.ts), so that calls of people are answered beside them. Fan-outs go first, since somebody looks at their
 * lines. Of jobs those go first whose device has an open connection: it is closed while they wait, and to open it again
 * costs ten times what the call does. Neither line can keep the other one waiting for ever.
 */

/** How often the event loop is asked whether it comes in time. However late it is, one more job may call each time. */
const TICK_MS = 20;

/** Calls of jobs that begin in one turn of the event loop: a handshake takes a third of a millisecond to begin. */
const STARTS_A_TURN = 16;

/** A call that takes longer waits for its device or moves a file: it is not what keeps the loop busy. */
const COUNTED_MS = 1_000;

/** One in so many goes to a device without a connection, however many others wait. */
const COLD_EVERY = 8;

/** The place of a job's call; `leave` it after the call. */
export interface Place {
  readonly since: number;
}

interface Waiter {
  readonly resolve: (place: Place) => void;
}

@Injectable()
export class BackgroundCalls {
  readonly pace = new Pace();
  private fanOuts = 0;
  private readonly jobs = new Set<Place>();
  private readonly warm: Waiter[] = [];
  private readonly cold: Waiter[] = [];
  private begun = 0;
  private startsLeft = STARTS_A_TURN;
  private isCounting = false;
  private ticking: NodeJS.Timeout | null = null;

  /** Whether one more call of a fan-out may begin. */
  get hasRoom(): boolean {
    return this.fanOuts < this.pace.atOnce;
  }

  fanOutBegan(): void {
    this.fanOuts++;
    this.tick();
  }

  fanOutEnded(): void {
    this.fanOuts--;
    this.begin();
  }

  /**
   * Waits until a call of a job may begin.
   * @param isWarm whether there is an open connection to its device
   * @throws ExchangeError when `gone` happens
   */
  enter(isWarm: boolean, gone: Gone): Promise<Place> {
    if (gone.happened) return Promise.reject(new ExchangeError('aborted'));
    this.tick();
    return new Promise((resolve, reject) => {
      const line = isWarm ? this.warm : this.cold;
      const waiter: Waiter = {
        resolve: (place) => {
          gone.watch(null);
          resolve(place);
        },
      };
      line.push(waiter);
      gone.watch(() => {
        const place = line.indexOf(waiter);
        if (place < 0) return;
        line.splice(place, 1);
        reject(new ExchangeError('aborted'));
      });
      this.begin();
    });
  }

  leave(place: Place): void {
    if (this.jobs.delete(place)) this.begin();
  }

  /** Lets in whom there is room for, those of one turn of the event loop at a time. */
  private begin(): void {
    while (this.waiting > 0 && this.startsLeft > 0 && this.fanOuts + this.jobs.size < this.pace.atOnce) this.letIn();
  }

  private letIn(): void {
    const isColdsTurn = this.warm.length === 0 || (this.cold.length > 0 && this.begun % COLD_EVERY === 0);
    const next = (isColdsTurn ? this.cold : this.warm).shift()!;
    this.begun++;
    this.startsLeft--;
    this.count();
    const place: Place = { since: performance.now() };
    this.jobs.add(place);
    next.resolve(place);
  }

  private get waiting(): number {
    return this.warm.length + this.cold.length;
  }

  private count(): void {
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
      this.pace.note(now - due, this.fanOuts + this.jobs.size);
      due = now + TICK_MS;
      this.forgetLong(now);
      this.begin();
      if (this.waiting > 0 && this.startsLeft > 0) this.letIn();
      if (this.fanOuts + this.jobs.size + this.waiting > 0) return;
      clearInterval(this.ticking!);
      this.ticking = null;
    }, TICK_MS).unref();
  }

  private forgetLong(now: number): void {
    for (const place of this.jobs) {
      if (now - place.since < COUNTED_MS) return; // the others came later
      this.jobs.delete(place);
    }
  }
}
