import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { WorkMarks } from '../../platform/database/work-marks.js';
import { JobRows } from './job-rows.js';
import { type Ticket } from '../rows/job-writes.js';
import { JobSignals } from './job-signals.js';
import { beatOf, leaseTerms, monotonicMs, type Beat, type LeaseTerms, type RollCall } from '../rows/lease-terms.js';

/**
 * The share of reserved slots, at least one; a worker with a single slot reserves none, or it would never take a
 * rollout's job.
 */
const RESERVED_SHARE = 0.1;

/** Why a worker must stop its job. */
type LetGo = 'cancel' | 'lost' | 'stop';

/** A job of this process. */
export interface Hold {
  /** Aborts the present pause or device call. */
  readonly signal: AbortSignal;
  /** Null as long as the job may continue. */
  why(): LetGo | null;
  /** Confirms that the row was ours after `askedAtMs` (`monotonicMs`), with a full lease from then. */
  confirm(askedAtMs: number): void;
  /**
   * Call it just before a changing request is sent to the device.
   * @throws AppError `worker_stalled` when the lease may have expired since its last confirmation
   */
  requireSure(): void;
  drop(): void;
}

interface Held {
  readonly ticket: Ticket;
  readonly controller: AbortController;
  confirmedAtMs: number;
  /** The first roll call that it was on; 0 before. */
  roll: number;
}

/**
 * The jobs of this process. Two checks keep a blocked or suspended process from harm when it continues. The check in
 * `JobRows.save` stops its writes, and `requireSure` stops its requests, since its clock went on.
 *
 * A thread sends the heartbeat that renews the leases (`heartbeat.ts`), or this class without a thread.
 */
@Injectable()
export class Leases implements Sweeper {
  readonly name = 'job-leases';
  readonly everyMs: number;
  readonly isForWorkers = true;
  readonly terms: LeaseTerms;
  /** Whether a thread renews the leases. */
  isKeptByThread = false;

  /** The name of this process in `job.owner` and in its marks; another one after each start. */
  readonly owner: string;

  private readonly held = new Set<Held>();
  private rolls = 0;

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobSignals) signals: JobSignals,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(WorkMarks) { owner }: Pick<WorkMarks, 'owner'>,
  ) {
    this.owner = owner;
    this.terms = leaseTerms(config.JOB_LEASE_SECONDS);
    this.everyMs = this.terms.beatMs;
    signals.on('cancel', (jobId) => {
      for (const held of this.held) if (held.ticket.jobId === jobId) letGo(held, 'cancel');
    });
  }

  /** How many more jobs this process can take. */
  get freeSlots(): number {
    return this.config.JOB_CONCURRENCY - this.held.size;
  }

  /** How many slots are reserved for jobs that people start one by one. */
  get reservedSlots(): number {
    const { JOB_CONCURRENCY } = this.config;
    return JOB_CONCURRENCY === 1 ? 0 : Math.max(1, Math.floor(JOB_CONCURRENCY * RESERVED_SHARE));
  }

  /**
   * @param stop aborts when the process stops
   * @param askedAtMs the earliest time of the claim (`monotonicMs`)
   */
  take(ticket: Ticket, stop: AbortSignal, askedAtMs: number): Hold {
    const held: Held = { ticket, controller: new AbortController(), confirmedAtMs: askedAtMs, roll: 0 };
    const onStop = () => letGo(held, 'stop');
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    this.held.add(held);
    this.metrics.jobsRunning.set(this.held.size);
    return {
      signal: held.controller.signal,
      why: () => (held.controller.signal.aborted ? (held.controller.signal.reason as LetGo) : null),
      confirm: (atMs) => confirm(held, atMs),
      requireSure: () => this.requireSure(held),
      drop: () => {
        stop.removeEventListener('abort', onStop);
        this.held.delete(held);
        this.metrics.jobsRunning.set(this.held.size);
      },
    };
  }

  /** The heartbeat without a thread. Jobs that it does not find are lost. */
  async sweep(): Promise<Record<string, number>> {
    if (this.isKeptByThread || this.held.size === 0) return {};
    const roll = this.callRoll();
    const atMs = monotonicMs();
    return { lost: this.hear(beatOf(roll, atMs, await this.rows.renew(this.owner, roll))) };
  }

  /** All jobs of this process, for a heartbeat. */
  callRoll(): RollCall {
    const number = ++this.rolls;
    const ids: string[] = [];
    const epochs: number[] = [];
    for (const one of this.held) {
      one.roll ||= number;
      ids.push(one.ticket.jobId);
      epochs.push(one.ticket.epoch);
    }
    return { number, ids, epochs };
  }

  /** Applies the result of a heartbeat. @returns how many jobs were lost */
  hear({ number, atMs, lost, cancelled, notRenewed }: Beat): number {
    const [areLost, areCancelled, areNot] = [new Set(lost), new Set(cancelled), new Set(notRenewed)];
    let count = 0;
    // Dropped jobs are skipped, and jobs taken after the roll call are not on it.
    for (const one of this.held) {
      if (one.roll === 0 || one.roll > number) continue;
      const key = `${one.ticket.jobId}.${one.ticket.epoch}`;
      if (areLost.has(key)) {
        letGo(one, 'lost');
        count++;
        continue;
      }
      if (areCancelled.has(key)) letGo(one, 'cancel');
      if (!areNot.has(key)) confirm(one, atMs);
    }
    return count;
  }

  private requireSure({ confirmedAtMs }: Held): void {
    const agoMs = Math.round(monotonicMs() - confirmedAtMs);
    if (agoMs > this.terms.sureMs) throw new AppError('worker_stalled', { stalledMs: agoMs });
  }
}

function confirm(held: Held, atMs: number): void {
  held.confirmedAtMs = Math.max(held.confirmedAtMs, atMs);
}

/** The first reason counts. */
function letGo(held: Held, why: LetGo): void {
  held.controller.abort(why);
}
