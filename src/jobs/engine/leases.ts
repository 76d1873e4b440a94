import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { AppError } from '../../platform/errors.js';
import { Metrics } from '../../platform/metrics.js';
import { type Sweeper } from '../../platform/sweeper.js';
import { WorkMarks } from '../../database/work-marks.js';
import { JobRows } from './job-rows.js';
import { type Ticket } from '../rows/job-writes.js';
import { JobSignals } from './job-signals.js';
import {
  heartbeatResult,
  leaseTerms,
  monotonicMs,
  type HeartbeatResult,
  type LeaseTerms,
  type LeasedTickets,
} from '../rows/lease-terms.js';

/**
 * The reserved share of the capacity, at least one job; a worker with a capacity of one reserves none, or it would never
 * take a job of a batch.
 */
const RESERVED_SHARE = 0.1;

/** Why a worker must stop its job. */
type StopReason = 'cancel' | 'lost' | 'stop';

export interface JobLease {
  /** Aborts the present pause or device call. */
  readonly signal: AbortSignal;
  /** Null as long as the job may continue. */
  stopReason(): StopReason | null;
  /** Confirms that the row had a full lease at `requestedAtMs` (`monotonicMs`) or later. */
  confirm(requestedAtMs: number): void;
  /**
   * Call it just before a write is sent to the device.
   * @throws AppError `worker_stalled` when the lease may have expired since its last confirmation
   */
  assertValid(): void;
  release(): void;
}

interface LeasedJob {
  readonly ticket: Ticket;
  readonly controller: AbortController;
  confirmedAtMs: number;
  /** The number of the first heartbeat list (`listLeased`) that contains it; 0 before. */
  firstList: number;
}

/**
 * The leases of the jobs of this process. A process that was blocked or suspended may have lost them when it continues.
 * Two checks protect against that: `JobRows.save` refuses its writes, and `assertValid` stops its writes to devices.
 *
 * A thread sends the heartbeat that renews the leases (`heartbeat.ts`), or this class without a thread.
 */
@Injectable()
export class Leases implements Sweeper {
  readonly name = 'job-leases';
  readonly everyMs: number;
  readonly isForWorkers = true;
  readonly terms: LeaseTerms;
  isRenewedByThread = false;
  /** Called once, when this process takes its first job. */
  onFirstJob: (() => void) | null = null;

  /** The name of this process in `job.owner` and in its marks; another one after each start. */
  readonly owner: string;

  private readonly leased = new Set<LeasedJob>();
  private listNumber = 0;

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobSignals) signals: JobSignals,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(WorkMarks) { owner }: Pick<WorkMarks, 'owner'>,
  ) {
    this.owner = owner;
    this.terms = leaseTerms(config.JOB_LEASE_SECONDS);
    this.everyMs = this.terms.heartbeatMs;
    signals.on('cancel', (jobId) => {
      for (const leased of this.leased) if (leased.ticket.jobId === jobId) abort(leased, 'cancel');
    });
  }

  /** How many more jobs this process can take. */
  get freeCapacity(): number {
    return this.config.JOB_CONCURRENCY - this.leased.size;
  }

  /** How much of the capacity is reserved for interactive jobs. */
  get reservedCapacity(): number {
    const { JOB_CONCURRENCY } = this.config;
    return JOB_CONCURRENCY === 1 ? 0 : Math.max(1, Math.floor(JOB_CONCURRENCY * RESERVED_SHARE));
  }

  /**
   * @param stop aborts when the process stops
   * @param requestedAtMs the earliest time of the claim (`monotonicMs`)
   */
  take(ticket: Ticket, stop: AbortSignal, requestedAtMs: number): JobLease {
    const leased: LeasedJob = { ticket, controller: new AbortController(), confirmedAtMs: requestedAtMs, firstList: 0 };
    const onStop = () => abort(leased, 'stop');
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    this.leased.add(leased);
    this.metrics.jobsRunning.set(this.leased.size);
    this.onFirstJob?.();
    this.onFirstJob = null;
    return {
      signal: leased.controller.signal,
      stopReason: () => (leased.controller.signal.aborted ? (leased.controller.signal.reason as StopReason) : null),
      confirm: (atMs) => confirm(leased, atMs),
      assertValid: () => this.assertValid(leased),
      release: () => {
        stop.removeEventListener('abort', onStop);
        this.leased.delete(leased);
        this.metrics.jobsRunning.set(this.leased.size);
      },
    };
  }

  /** The heartbeat without a thread. Jobs that it does not find are lost. */
  async sweep(): Promise<Record<string, number>> {
    if (this.isRenewedByThread || this.leased.size === 0) return {};
    const leased = this.listLeased();
    const atMs = monotonicMs();
    return { lost: this.applyHeartbeat(heartbeatResult(leased, atMs, await this.rows.renew(this.owner, leased))) };
  }

  /** All jobs of this process, for a heartbeat. */
  listLeased(): LeasedTickets {
    const listNumber = ++this.listNumber;
    const ids: string[] = [];
    const epochs: number[] = [];
    for (const leased of this.leased) {
      leased.firstList ||= listNumber;
      ids.push(leased.ticket.jobId);
      epochs.push(leased.ticket.epoch);
    }
    return { listNumber, ids, epochs };
  }

  /** Applies the result of a heartbeat. @returns how many jobs were lost */
  applyHeartbeat({ listNumber, atMs, lost, cancelled, notRenewed }: HeartbeatResult): number {
    const [areLost, areCancelled, areNot] = [new Set(lost), new Set(cancelled), new Set(notRenewed)];
    let count = 0;
    // Jobs that were claimed after the list was made are not on it.
    for (const leased of this.leased) {
      if (leased.firstList === 0 || leased.firstList > listNumber) continue;
      const key = `${leased.ticket.jobId}.${leased.ticket.epoch}`;
      if (areLost.has(key)) {
        abort(leased, 'lost');
        count++;
        continue;
      }
      if (areCancelled.has(key)) abort(leased, 'cancel');
      if (!areNot.has(key)) confirm(leased, atMs);
    }
    return count;
  }

  private assertValid({ confirmedAtMs }: LeasedJob): void {
    const agoMs = Math.round(monotonicMs() - confirmedAtMs);
    if (agoMs > this.terms.sendLimitMs) throw new AppError('worker_stalled', { stalledMs: agoMs });
  }
}

function confirm(leased: LeasedJob, atMs: number): void {
  leased.confirmedAtMs = Math.max(leased.confirmedAtMs, atMs);
}

/** Aborts a job; the first reason counts. */
function abort(leased: LeasedJob, why: StopReason): void {
  leased.controller.abort(why);
}
