import { randomUUID } from 'node:crypto';
import os from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { Metrics } from '../platform/metrics.js';
import { type Sweeper } from '../platform/sweeper.js';
import { JobRows, LEASE_MS, type Ticket } from './job-rows.js';
import { JobSignals } from './job-signals.js';

/** Why a worker must let go of its job. */
export type LetGo = 'cancel' | 'lost' | 'stop';

/** A job in the hands of this process. */
export interface Hold {
  /** Aborts what is under way: a pause, or a call to the device. */
  readonly signal: AbortSignal;
  /** Null as long as the job may go on. */
  why(): LetGo | null;
  drop(): void;
}

interface Held {
  readonly ticket: Ticket;
  readonly controller: AbortController;
}

/**
 * The jobs that this process holds, and the one heartbeat that keeps their leases. It beats on the main loop: when
 * that is blocked for longer than a lease, others may take the jobs, and the gate in `JobRows.save` stops whatever
 * this process then wants to write.
 */
@Injectable()
export class Leases implements Sweeper {
  readonly name = 'job-leases';
  readonly everyMs = LEASE_MS / 3;

  /** This process, as `job.owner` names it; another one after every start. */
  readonly owner = `${os.hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

  private readonly held = new Set<Held>();

  constructor(
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobSignals) signals: JobSignals,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {
    signals.on('cancel', (jobId) => {
      for (const held of this.held) if (held.ticket.jobId === jobId) letGo(held, 'cancel');
    });
  }

  /** How many more jobs this process can take. */
  get freeSlots(): number {
    return this.config.JOB_CONCURRENCY - this.held.size;
  }

  /** @param stop aborts when the process stops */
  take(ticket: Ticket, stop: AbortSignal): Hold {
    const held: Held = { ticket, controller: new AbortController() };
    const onStop = () => letGo(held, 'stop');
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    this.held.add(held);
    this.metrics.jobsRunning.set(this.held.size);
    return {
      signal: held.controller.signal,
      why: () => (held.controller.signal.aborted ? (held.controller.signal.reason as LetGo) : null),
      drop: () => {
        stop.removeEventListener('abort', onStop);
        this.held.delete(held);
        this.metrics.jobsRunning.set(this.held.size);
      },
    };
  }

  /** The heartbeat: one statement for all. What it does not find any more is lost. */
  async sweep(): Promise<Record<string, number>> {
    const held = [...this.held];
    if (held.length === 0) return {};
    const valid = new Map(
      (
        await this.rows.renew(
          this.owner,
          held.map(({ ticket }) => ticket),
        )
      ).map((ticket) => [`${ticket.jobId}.${ticket.epoch}`, ticket.isCancelAsked]),
    );
    let lost = 0;
    for (const one of held) {
      const isCancelAsked = valid.get(`${one.ticket.jobId}.${one.ticket.epoch}`);
      if (isCancelAsked) letGo(one, 'cancel');
      // What was dropped while the statement ran is not lost.
      else if (isCancelAsked === undefined && this.held.has(one)) {
        letGo(one, 'lost');
        lost++;
      }
    }
    return { lost };
  }
}

/** The first reason stands. */
function letGo(held: Held, why: LetGo): void {
  held.controller.abort(why);
}
