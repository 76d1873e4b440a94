import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Audit } from '../audit/entries/audit.js';
import { DevicesService } from '../devices/registry/devices.service.js';
import { type Actor, type DeviceScope } from '../platform/actor.js';
import { Clock } from '../platform/clock.js';
import { AppError } from '../platform/errors.js';
import { mapConstraintErrors } from '../database/constraints.js';
import { newestFirst } from '../http/newest-first.js';
import { type Page } from '../http/page.js';
import { Job, JobLogLine, type JobRow } from './rows/job.entity.js';
import { withinScope } from '../devices/registry/within-scope.js';
import { type BatchAuthor, JobBatches } from './engine/job-batches.js';
import { JobRows } from './engine/job-rows.js';
import { kindNamed, KINDS, readSpec } from './engine/job-kinds.js';
import { JobSignals } from './engine/job-signals.js';
import { cancel } from './rows/job-state.js';
import { type ListJobsQuery } from './jobs.contract.js';
import { type JobKinds } from './kinds/index.js';
import { type JobKind, type Progress } from './kind-api/kind.js';
import { refuseMarkersIn } from '../proxy/calls/marker-check.js';

/** The interval at which a wait reads the row; an end in this process is known at once. */
const READ_EVERY_MS = 500;

export interface StartJob {
  readonly deviceId: string;
  readonly kind: string;
  readonly spec: unknown;
}

export type JobFilter = Omit<ListJobsQuery, 'device'> & { readonly deviceId?: string | undefined };

/** Operations on jobs for operators and rollouts. Callers check the rights. */
@Injectable()
export class JobsService implements OnModuleDestroy {
  private readonly closing = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(JobBatches) private readonly batches: JobBatches,
    @Inject(JobRows) private readonly rows: JobRows,
    @Inject(JobSignals) private readonly signals: JobSignals,
  ) {}

  /**
   * Starts a job on one device; it is due at once, and the dispatcher finds the row. The calling code has checked rights,
   * approval and step-up.
   * @throws AppError `invalid_input` (unknown kind, wrong spec), `device_not_found`, `device_has_no_credentials`,
   *   `artifact_not_found`, `artifact_changed` (not of the digest that the spec names)
   */
  async start({ deviceId, kind: kindName, spec }: StartJob, actor: BatchAuthor): Promise<JobRow> {
    const { kind, spec: parsed } = this.parse(kindName, spec);
    const { account } = await this.devices.get(deviceId);
    if (!account) throw new AppError('device_has_no_credentials');
    // The device may be removed between its read and the insert.
    return mapConstraintErrors({ job_is_for_a_device: ['device_not_found'] }, () =>
      this.batches.startSingle(kind, { deviceId, spec: parsed }, actor),
    );
  }

  /** Parses the kind and the spec of a request. @throws AppError `invalid_input`, `redaction_marker` */
  parse(kindName: string, spec: unknown): { readonly kind: JobKind; readonly spec: unknown } {
    const kind = kindNamed(this.kinds, kindName);
    refuseMarkersIn(spec);
    return { kind, spec: readSpec(kind, spec) };
  }

  /** @throws AppError `job_not_found` */
  async get(jobId: string): Promise<JobRow> {
    const job = await this.db.manager.findOneBy(Job, { id: jobId });
    if (!job) throw new AppError('job_not_found');
    return job;
  }

  /** The lines of a job's log, oldest first. */
  async logLines(jobId: string): Promise<JobLogLine[]> {
    return this.db.manager.find(JobLogLine, { where: { jobId }, order: { ordinal: 'asc' } });
  }

  /** Newest first; of the devices of `scope`, or of all. @throws AppError `invalid_input` for an unknown kind */
  async list(filter: JobFilter, scope: DeviceScope | null): Promise<Page<JobRow>> {
    const { deviceId, kind, phase, outcome } = filter;
    if (kind !== undefined) kindNamed(this.kinds, kind, '/query/kind');
    const rows = this.db.manager.createQueryBuilder(Job, 'job');
    if (scope) {
      const within = withinScope(scope, 'job.device_id', this.clock.now());
      rows.andWhere(within.sql, within.parameters);
    }
    return newestFirst(rows, 'jobs', filter, { device_id: deviceId, kind, phase, outcome });
  }

  /**
   * Cancels a job: a waiting one ends now, a running one as soon as its worker has broken its step off.
   * @throws AppError `job_not_found`, `job_not_cancellable` (ended, or past the point of no return)
   */
  async cancel(jobId: string, actor: Actor): Promise<JobRow> {
    const job = await this.db.transaction(async (tx) => {
      const found = await tx.findOne(Job, { where: { id: jobId }, lock: { mode: 'pessimistic_write' } });
      if (!found) throw new AppError('job_not_found');
      const kind = this.kinds.get(found.kind);
      const isIrrevocable = kind?.canParse(found.cursor) ? kind.isIrrevocable(found.cursor, found.intent) : true;
      const next = cancel(found, isIrrevocable, this.clock.now());
      if (!next) throw new AppError('job_not_cancellable', { phase: found.phase, outcome: found.outcome });
      await this.audit.record(tx, {
        actor,
        action: 'job.cancel',
        subject: `job:${jobId}`,
        deviceId: found.deviceId,
        jobId,
        facts: { kind: found.kind, phase: found.phase },
      });
      const text = `${actor.name} asked for the job to be cancelled`;
      await this.rows.write(tx, next, { step: 'cancel', logLine: { text, facts: { by: actor.actorId } } });
      return next;
    });
    this.rows.notifyAfterCommit(job);
    if (job.phase === 'running') this.signals.emit('cancel', jobId);
    return job;
  }

  /**
   * Waits for the end of a job. A failed read neither ends the wait nor is an error: the job was started.
   * @param started the job as last read
   * @param signal ends the wait, as when the caller disconnects
   * @returns the job as last read when it has ended or the time is over
   */
  async waitForEnd(started: JobRow, waitMs: number, signal: AbortSignal): Promise<JobRow> {
    const { id: jobId } = started;
    let job = started;
    const until = this.clock.now().getTime() + waitMs;
    const over = AbortSignal.any([signal, this.closing.signal]);
    for (;;) {
      const woken = new AbortController();
      const unsubscribe = this.signals.on('ended', (ended) => {
        if (ended === jobId) woken.abort();
      });
      try {
        job = await this.get(jobId).catch(() => job);
        const leftMs = until - this.clock.now().getTime();
        if (job.phase === 'ended' || leftMs <= 0 || over.aborted) return job;
        await this.clock.sleep(Math.min(leftMs, READ_EVERY_MS), AbortSignal.any([over, woken.signal]));
      } finally {
        unsubscribe();
      }
    }
  }

  /** Waiting callers get the present job, so that the listener can close. */
  onModuleDestroy(): void {
    this.closing.abort();
  }

  /** The step of the job, as its kind names it. */
  stepOf(job: JobRow): string {
    const { at } = (job.cursor ?? {}) as { at?: unknown };
    return typeof at === 'string' ? at : 'unknown';
  }

  /** The progress of the job; null when its kind reports none. */
  progressOf(job: JobRow): Progress | null {
    if (job.phase === 'ended') return { percent: 100, text: 'Ended' };
    const { cursor, intent } = job;
    const kind = this.kinds.get(job.kind);
    return kind?.canParse(cursor) ? kind.progress(cursor, { intent, now: this.clock.now() }) : null;
  }
}
