import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { Audit } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { storableJson } from '../../platform/database/storable.js';
import { recordUses } from '../../artifacts/artifact-use.entity.js';
import { KINDS } from './job-kinds.js';
import { JobSignals } from './job-signals.js';
import { newJob } from '../rows/job-state.js';
import { type JobKinds } from '../kinds/index.js';
import { type JobKind } from '../kind-api/kind.js';

/** A job to start on one device; its kind has parsed its spec. */
export interface BatchItem {
  readonly deviceId: string;
  readonly spec: unknown;
}

/** The author of a batch. */
export interface BatchAuthor extends Actor {
  readonly operatorId: string | null;
}

/**
 * Starts jobs on many devices in the caller's transaction: a few statements for any number of jobs. The caller has
 * checked that the devices exist, and the author's rights. The runner checks the rights again at each wake-up before
 * the point of no return.
 */
@Injectable()
export class JobBatches {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(KINDS) private readonly kinds: JobKinds,
    @Inject(JobSignals) private readonly signals: JobSignals,
  ) {}

  /** A kind by its name; undefined when there is none. */
  kind(name: string): JobKind | undefined {
    return this.kinds.get(name);
  }

  /**
   * @returns the ids of the jobs, in the order of the items
   * @throws AppError `artifact_not_found`, `artifact_changed`: nothing is started
   */
  async start(tx: EntityManager, kind: JobKind, items: readonly BatchItem[], author: BatchAuthor): Promise<string[]> {
    const now = this.clock.now();
    const jobs = items.map(({ deviceId, spec }) => ({
      id: randomUUID(),
      deviceId,
      spec,
      state: newJob(kind.start(spec), kind.deadlineMs, now),
    }));
    await tx.query(
      `insert into job (id, device_id, kind, spec, phase, cursor, wake_at, deadline_at, started_by, started_by_name,
                        operator_id, reason, request_id, created_at, is_bulk)
       select id, device_id, $1, spec, 'queued', cursor, $2, deadline_at, $3, $4, $5, $6, $7, $2, true
         from unnest($8::uuid[], $9::uuid[], $10::jsonb[], $11::jsonb[], $12::timestamptz[])
              as item (id, device_id, spec, cursor, deadline_at)`,
      [
        kind.name,
        now,
        author.actorId,
        author.name,
        author.operatorId,
        author.reason,
        author.requestId,
        jobs.map(({ id }) => id),
        jobs.map(({ deviceId }) => deviceId),
        jobs.map(({ spec }) => storableJson(spec)),
        jobs.map(({ state }) => storableJson(state.cursor)),
        jobs.map(({ state }) => state.deadlineAt),
      ],
    );
    await recordUses(
      tx,
      jobs.map(({ id, spec }) => ({ jobId: id, artifacts: kind.artifactsOf(spec) })),
    );
    await tx.query(
      `insert into job_event (job_id, ordinal, at, step, text)
       select id, 1, $2, 'start', $3 from unnest($1::uuid[]) as started (id)`,
      [jobs.map(({ id }) => id), now, `${author.name} started the job`],
    );
    const started = { actor: author, action: 'job.start' } as const;
    const facts = jobs.map(({ id, deviceId, spec }) => {
      return { ...started, subject: `job:${id}`, deviceId, jobId: id, facts: { kind: kind.name, spec } };
    });
    await this.audit.recordAll(tx, facts);
    return jobs.map(({ id }) => id);
  }

  /** Calls `listener` whenever a job of any batch has ended in this process. */
  onEnd(listener: () => void): void {
    this.signals.on('batchJobEnded', listener);
  }

  /** Call it after the commit: wakes the dispatcher. */
  notifyAfterCommit(): void {
    this.signals.emit('due');
  }
}
