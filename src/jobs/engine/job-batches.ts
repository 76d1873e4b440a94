import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { Batching } from '../../database/batching.js';
import { KINDS } from './job-kinds.js';
import { JobSignals } from './job-signals.js';
import { type JobRow } from '../rows/job.entity.js';
import { newJob } from '../rows/job-state.js';
import { insertJobs, type NewJob } from '../rows/new-jobs.js';
import { type JobKinds } from '../kinds/index.js';
import { type JobKind } from '../kind-api/kind.js';

/** A job to start on one device; its kind has parsed its spec. */
export interface BatchItem {
  readonly deviceId: string;
  readonly spec: unknown;
}

/** The author of jobs; without an operator it is the gateway itself. */
export interface BatchAuthor extends Actor {
  readonly operatorId?: string | null;
}

/** Jobs of one statement: 500 at once kept the event loop busy for 20 to 70 ms. It is free while Postgres inserts a part. */
const STATEMENT_JOBS = 100;

/**
 * Inserts new jobs: many of one author in the caller's transaction, or single ones of many requests in a shared one.
 * Callers have checked that the devices exist, and the author's rights. The runner checks the rights again at each
 * wake-up before the point of no return.
 */
@Injectable()
export class JobBatches {
  private readonly single: Batching<NewJob, boolean>;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(JobSignals) private readonly signals: JobSignals,
  ) {
    this.single = new Batching((newJobs) => this.insertFree(newJobs));
  }

  /** A kind by its name; undefined when there is none. */
  kind(name: string): JobKind | undefined {
    return this.kinds.get(name);
  }

  /**
   * Starts jobs of one kind in the caller's transaction.
   * @returns the ids of the jobs, in the order of the items
   * @throws AppError `artifact_not_found`, `artifact_changed`: nothing is started
   */
  async start(tx: EntityManager, kind: JobKind, items: readonly BatchItem[], author: BatchAuthor): Promise<string[]> {
    const ids: string[] = [];
    for (let from = 0; from < items.length; from += STATEMENT_JOBS) {
      const part = items.slice(from, from + STATEMENT_JOBS).map((item) => this.draft(kind, item, author, true));
      await insertJobs(tx, this.audit, part);
      ids.push(...part.map(({ job }) => job.id));
    }
    return ids;
  }

  /**
   * Starts a job in a transaction that it shares with other jobs of the same moment, and wakes the dispatcher.
   * @throws AppError `artifact_not_found`, `artifact_changed`; QueryFailedError
   */
  async startSingle(kind: JobKind, item: BatchItem, author: BatchAuthor): Promise<JobRow> {
    const started = this.draft(kind, item, author, false);
    // The check of an artifact locks it, and its failure would end the others.
    const isStored = started.artifacts.length === 0 && (await this.single.add(started));
    if (!isStored) await this.insert([started]);
    return started.job;
  }

  /** Calls `listener` whenever a job of any batch has ended in this process. */
  onEnd(listener: () => void): void {
    this.signals.on('batchJobEnded', listener);
  }

  /** Call it after the commit: wakes the dispatcher. */
  notifyAfterCommit(): void {
    this.signals.emit('due');
  }

  private async insert(newJobs: readonly NewJob[]): Promise<void> {
    await this.db.transaction((tx) => insertJobs(tx, this.audit, newJobs));
    this.notifyAfterCommit();
  }

  /**
   * Inserts the jobs whose device rows are free. An import or a removal may hold the others: those are inserted one by
   * one, so that no job waits for another's device.
   * @returns for each job whether it is inserted
   */
  private async insertFree(newJobs: readonly NewJob[]): Promise<boolean[]> {
    const free = await this.db.transaction(async (tx) => {
      const rows = await tx.query<{ id: string }[]>(
        'select id from device where id = any ($1) for key share skip locked',
        [newJobs.map(({ job }) => job.deviceId)],
      );
      const ids = new Set(rows.map(({ id }) => id));
      if (ids.size > 0) {
        await insertJobs(
          tx,
          this.audit,
          newJobs.filter(({ job }) => ids.has(job.deviceId)),
        );
      }
      return ids;
    });
    this.notifyAfterCommit();
    return newJobs.map(({ job }) => free.has(job.deviceId));
  }

  private draft(kind: JobKind, { deviceId, spec }: BatchItem, author: BatchAuthor, isBulk: boolean): NewJob {
    const now = this.clock.now();
    const job = {
      ...newJob(kind.start(spec), kind.deadlineMs, now),
      id: randomUUID(),
      deviceId,
      kind: kind.name,
      spec,
      epoch: 0,
      leaseUntil: null,
      owner: null,
      isBulk: isBulk,
      startedBy: author.actorId,
      startedByName: author.name,
      operatorId: author.operatorId ?? null,
      reason: author.reason,
      requestId: author.requestId,
      createdAt: now,
      startedAt: null,
    };
    return { job, author, artifacts: kind.artifactsOf(spec) };
  }
}
