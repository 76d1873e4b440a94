import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { violatedConstraint } from '../../database/constraints.js';
import { Audit, type NewAuditEntry, type AuditOutcomeName } from '../../audit/entries/audit.js';
import { type Actor } from '../../platform/actor.js';
import { Clock } from '../../platform/clock.js';
import { CONFIG, type GatewayConfig } from '../../platform/config.js';
import { Metrics } from '../../platform/metrics.js';
import { Redactor } from '../../secrets/redactor.js';
import { Artifact } from '../../artifacts/artifact.entity.js';
import { BackupPasswords } from '../rows/backup-passwords.js';
import { DISPATCH, IS_ANY_DUE } from './dispatch-order.js';
import { Job, type JobRow } from '../rows/job.entity.js';
import { JobSignals } from './job-signals.js';
import { type JobOutcome } from '../../artifacts/job-phases.js';
import { type LogLine } from '../rows/job-state.js';
import {
  type Claim,
  claimRows,
  lockLeased,
  type NewJobLogLine,
  stateValues,
  type StateValues,
  type Ticket,
  writeLogLines,
  writeStates,
} from '../rows/job-writes.js';
import { type NewArtifact } from '../kind-api/step-context.js';
import { leaseEnd, leaseTerms, renewLeases, type RenewedRow, type LeasedTickets } from '../rows/lease-terms.js';
import { RowBatching } from './row-batching.js';

/*
 * Dispatches, claims and saves jobs. The times of a job (`wake_at`, `deadline_at`) use the process's clock, which follows
 * the database's (`platform/clock.ts`) and can lag by seconds. Leases are compared only in the database, so that a wrong
 * clock of a process neither prolongs nor shortens them.
 *
 * A worker writes a job only while the row is running, has the worker's epoch, and its lease is valid. The row is
 * locked from that check to the commit, so nothing can change in between.
 *
 * Claims and saves of the same moment are batched: a single one does not wait, and of a thousand running jobs dozens
 * share statements and the commit.
 */

/** The most rows that one sweep moves. */
const BATCH = 500;

/** Jobs of lost workers, and waiting jobs whose time is over. */
const EXPIRED = `phase in ('dispatched', 'running') and lease_until <= clock_timestamp()`;
const OVERDUE = (now: string) => `phase = 'queued' and deadline_at <= ${now}`;

/** The epoch of the worker is over, or the job has ended. This is normal: the worker stops its work on the job. */
export class LeaseLost extends Error {
  constructor({ jobId, epoch }: Ticket) {
    super(`Epoch ${epoch} of the job ${jobId} is over`);
    this.name = 'LeaseLost';
  }
}

/** What is saved together with a job's new state. */
export interface SaveDetails {
  readonly step: string;
  readonly logLine?: LogLine | undefined;
  readonly artifacts?: readonly NewArtifact[];
}

/** A save of a worker. */
interface PendingSave {
  readonly job: JobRow;
  readonly decide: (job: JobRow) => Job;
  readonly details: SaveDetails;
}

/** A state that is ready to be written. */
interface PreparedSave {
  readonly job: JobRow;
  /** The job with fingerprints instead of secrets. */
  readonly redacted: JobRow;
  readonly stateValues: StateValues;
  readonly logLines: readonly NewJobLogLine[];
}
/** An error concerns only its own job, not the others of the batch. */
type SaveResult = PreparedSave | { readonly error: unknown };

const AUDIT_OUTCOME: Readonly<Record<JobOutcome, AuditOutcomeName>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  not_executed: 'failed',
  unknown: 'unknown',
  cancelled: 'refused', // the audit has no `cancelled`, and a request ended the job, not a problem
};

const END_TEXTS: Readonly<Record<JobOutcome, string>> = {
  succeeded: 'The job has succeeded',
  failed: 'The job has failed',
  not_executed: 'The job has ended, and nothing was changed on the device',
  unknown: 'The job has ended, and the result of its effect on the device is not known',
  cancelled: 'The job was cancelled',
};

@Injectable()
export class JobRows {
  private readonly leaseMs: number;
  private readonly claims = new RowBatching<Claim, JobRow>((claims, waitForLocks) =>
    this.claimAll(claims, waitForLocks),
  );
  private readonly saves = new RowBatching<PendingSave, SaveResult>((saves, waitForLocks) =>
    this.saveAll(saves, waitForLocks),
  );

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(JobSignals) private readonly signals: JobSignals,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
    @Inject(CONFIG) config: Pick<GatewayConfig, 'JOB_LEASE_SECONDS'>,
    @Inject(BackupPasswords) private readonly passwords: Pick<BackupPasswords, 'store'>,
  ) {
    this.leaseMs = leaseTerms(config.JOB_LEASE_SECONDS).leaseMs;
  }

  /**
   * Marks due jobs as dispatched, one per free device. A job occupies its device from its first step to its end, waits
   * included. Jobs of people go before those of batches, which never use the last `reserved` part of the capacity.
   *
   * It is one statement, so that a process that is suspended in the middle holds no lock. An advisory lock lets one
   * process at a time do it. If two overlap all the same, the index `job_is_alone_on_its_device` refuses the second.
   * @param capacity how many jobs the process can run; its dispatched and unclaimed jobs count against them
   */
  async dispatch(owner: string, capacity: number, reserved = 0): Promise<Ticket[]> {
    const now = this.clock.now();
    const [any] = await this.db.query<[{ due: boolean }]>(IS_ANY_DUE, [now]);
    if (!any.due) return [];
    try {
      const [rows] = await this.db.query<[{ id: string; epoch: number }[], number]>(DISPATCH, [
        now,
        owner,
        capacity,
        this.leaseMs,
        reserved,
      ]);
      return rows.map(({ id, epoch }) => ({ jobId: id, epoch }));
    } catch (error) {
      if (violatedConstraint(error) === 'job_is_alone_on_its_device') return [];
      throw error;
    }
  }

  /** Undoes a dispatch that did not reach the queue, or that no worker has claimed when the process stops. */
  async undispatch(owner: string, tickets?: readonly Ticket[]): Promise<void> {
    await this.db.query(
      `update job set phase = 'queued', owner = null, lease_until = null
        where phase = 'dispatched' and owner = $1 and ($2::uuid[] is null or id = any ($2))`,
      [owner, tickets?.map(({ jobId }) => jobId) ?? null],
    );
  }

  /** At a clean stop: the expired lease of a job that was not handed back in time must not quarantine it. */
  async clearLossCountsOf(owner: string): Promise<void> {
    await this.db.query(`update job set lost_workers = 0 where phase = 'running' and owner = $1`, [owner]);
  }

  /** Claims a dispatched job for a worker. @returns null when the ticket is outdated or a duplicate */
  async claim({ jobId, epoch }: Ticket, owner: string): Promise<JobRow | null> {
    return (await this.claims.run({ jobId, epoch, owner })) ?? null;
  }

  /**
   * Saves the result of a worker: row, log line, artifact and, at the end, the audit entry, in one transaction.
   * @param decide returns the next state; it gets the job with a cancellation requested since
   * @throws LeaseLost when the worker has lost the job
   */
  async save(job: JobRow, decide: (job: JobRow) => Job, details: SaveDetails): Promise<JobRow> {
    const wanted = { job, decide, details };
    // Artifacts are inserted with their job: their faults concern no other job.
    const saved = await (details.artifacts ? this.saves.runAlone(wanted) : this.saves.run(wanted));
    if (!saved) throw new LeaseLost({ jobId: job.id, epoch: job.epoch });
    if ('error' in saved) throw saved.error;
    this.notifyAfterCommit(saved.job);
    return saved.job;
  }

  /** Saves a state in the transaction that holds the lock on the row; call `notifyAfterCommit` afterwards. */
  async write(tx: EntityManager, job: JobRow, details: SaveDetails): Promise<void> {
    await this.writeAll(tx, [this.prepare(job, details)]);
  }

  /** Notifies callers in this process that wait for the job's end. */
  notifyAfterCommit(job: JobRow): void {
    if (job.outcome === null) return;
    this.metrics.jobsEnded.inc({ kind: job.kind, outcome: job.outcome });
    this.signals.emit('ended', job.id);
    if (job.isBulk) this.signals.emit('batchJobEnded');
  }

  /** Makes jobs that wait for a lock due now. */
  async wakeLocked(): Promise<void> {
    await this.db.query(`update job set wake_at = $1 where phase = 'queued' and wait_reason = 'locked'`, [
      this.clock.now(),
    ]);
  }

  /** Renews leases, hundreds in one statement. @returns the valid tickets, with requests received since */
  renew(owner: string, leased: LeasedTickets): Promise<RenewedRow[]> {
    return renewLeases((sql, values) => this.db.query<RenewedRow[]>(sql, values), leased, owner, this.leaseMs);
  }

  /**
   * Moves jobs whose lease expired.
   * @param decide returns their next state. The epoch rises, so that the former worker can no longer write
   */
  async moveExpired(decide: (job: JobRow, now: Date) => JobRow, logLine: LogLine): Promise<number> {
    return this.moveLocked(EXPIRED, decide, logLine);
  }

  /** Whether `moveExpired` or `moveOverdue` would find jobs. In most seconds there are none, so this needs no transaction. */
  async someExpired(): Promise<boolean> {
    const [row] = await this.db.query<{ found: boolean }[]>(
      `select exists (select from job where ${EXPIRED}) or exists (select from job where ${OVERDUE('$1')}) as found`,
      [this.clock.now()],
    );
    return row!.found;
  }

  /** Moves waiting jobs whose deadline has passed. */
  async moveOverdue(decide: (job: JobRow, now: Date) => JobRow): Promise<number> {
    return this.moveLocked(OVERDUE(':now'), decide);
  }

  /** The number of tickets that wait longer than `ms`: more than 0 with free capacity means a silent consumer. */
  async countUnclaimed(ms: number): Promise<number> {
    const [row] = await this.db.query<{ count: number }[]>(
      `select count(*)::integer as count from job
        where phase = 'dispatched' and lease_until between clock_timestamp() and ${leaseEnd('$1')}`,
      [Math.max(0, this.leaseMs - ms)],
    );
    return row!.count;
  }

  /** The kinds of all jobs that have not ended. */
  async openKinds(): Promise<string[]> {
    const rows = await this.db.query<{ kind: string }[]>(`select distinct kind from job where phase <> 'ended'`);
    return rows.map(({ kind }) => kind);
  }

  private async moveLocked(
    where: string,
    decide: (job: JobRow, now: Date) => JobRow,
    logLine?: LogLine,
  ): Promise<number> {
    const now = this.clock.now();
    const moved = await this.db.transaction(async (tx) => {
      const rows = await tx
        .createQueryBuilder(Job, 'job')
        .where(where, { now })
        .limit(BATCH)
        .setLock('pessimistic_write')
        .setOnLocked('skip_locked')
        .getMany();
      const next = rows.map((job) => ({ ...decide(job, now), epoch: job.epoch + 1 }));
      await this.writeAll(
        tx,
        next.map((job) => this.prepare(job, { step: 'engine', logLine })),
      );
      return next;
    });
    for (const job of moved) this.notifyAfterCommit(job);
    return moved.length;
  }

  private async claimAll(claims: readonly Claim[], waitForLocks: boolean): Promise<(JobRow | undefined)[]> {
    const columns = this.db
      .getMetadata(Job)
      .columns.map(({ databaseName, propertyName }) => `job.${databaseName} as "${propertyName}"`)
      .join(', ');
    const terms = { columns, leaseMs: this.leaseMs, now: this.clock.now(), waitForLocks };
    const rows = await claimRows(this.db.manager, claims, terms);
    const claimed = new Map(rows.map((job) => [job.id, job]));
    // A duplicate ticket gets its job once.
    return claims.map(({ jobId, epoch }) => takeOut(claimed, jobId, epoch));
  }

  private saveAll(saves: readonly PendingSave[], waitForLocks: boolean): Promise<(SaveResult | undefined)[]> {
    return this.db.transaction(async (tx) => {
      const tickets = saves.map(({ job }) => ({ jobId: job.id, epoch: job.epoch }));
      const own = await lockLeased(tx, tickets, waitForLocks);
      const saved: (SaveResult | undefined)[] = [];
      for (const save of saves) {
        const row = takeOut(own, save.job.id, save.job.epoch);
        saved.push(row && (await this.decide(tx, save, row.cancelAskedAt)));
      }
      await this.writeAll(
        tx,
        saved.filter((one) => one !== undefined && 'stateValues' in one),
      );
      return saved;
    });
  }

  private async decide(
    tx: EntityManager,
    { job, decide, details }: PendingSave,
    cancelAskedAt: Date | null,
  ): Promise<SaveResult> {
    try {
      const decided = decide({ ...job, cancelAskedAt });
      const { artifacts } = details;
      const state = artifacts ? await this.insertArtifacts(tx, decided, artifacts) : decided;
      return this.prepare(state, details);
    } catch (error) {
      if (details.artifacts) throw error; // the transaction is separate, and perhaps broken
      return { error };
    }
  }

  private prepare(job: JobRow, { step, logLine }: SaveDetails): PreparedSave {
    // Every reader of the job sees these two, and devices repeat in them what they were sent.
    const redacted = {
      ...job,
      result: this.redactor.redacted(job.result),
      failure: this.redactor.redacted(job.failure),
    };
    const logLines = logLine ? [this.logLineFor(job.id, step, logLine)] : [];
    if (redacted.outcome !== null) {
      const facts = { outcome: redacted.outcome, ...(redacted.failure ? { failure: redacted.failure } : {}) };
      logLines.push(this.logLineFor(job.id, 'end', { text: END_TEXTS[redacted.outcome], facts }));
    }
    return { job, redacted, stateValues: stateValues(redacted), logLines };
  }

  private logLineFor(jobId: string, step: string, { text, facts = {} }: LogLine): NewJobLogLine {
    return { jobId, step, text, facts: this.redactor.redacted(facts) };
  }

  private async writeAll(tx: EntityManager, prepared: readonly PreparedSave[]): Promise<void> {
    if (prepared.length === 0) return;
    const states = prepared.map(({ stateValues }) => stateValues);
    const logLines = prepared.flatMap((one) => one.logLines);
    await writeStates(tx, states, this.leaseMs);
    await writeLogLines(tx, logLines, this.clock.now());
    const ends = new Map<AuditOutcomeName, NewAuditEntry[]>();
    for (const { redacted } of prepared) {
      if (redacted.outcome === null) continue;
      const outcome = AUDIT_OUTCOME[redacted.outcome];
      ends.set(outcome, [...(ends.get(outcome) ?? []), endOf(redacted)]);
    }
    for (const [outcome, entries] of ends) await this.audit.recordAll(tx, entries, outcome);
  }

  /**
   * Inserts the artifacts of a job; their bytes are already durable. @returns the job, whose result names them: one as
   * `artifactId`, several as `artifacts`
   */
  private async insertArtifacts(tx: EntityManager, job: JobRow, made: readonly NewArtifact[]): Promise<JobRow> {
    const rows = made.map((artifact) => ({
      ...artifact,
      id: randomUUID(),
      deviceId: job.deviceId,
      jobId: job.id,
      createdBy: job.startedBy,
      createdByName: job.startedByName,
      createdAt: this.clock.now(),
    }));
    await tx.insert(Artifact, rows);
    for (const { id, kind } of rows) if (kind === 'backup') await this.passwords.store(tx, id, job.deviceId);
    const named =
      rows.length === 1
        ? { artifactId: rows[0]!.id }
        : { artifacts: rows.map(({ id, kind, name, sha256, bytes }) => ({ id, kind, name, sha256, bytes })) };
    return { ...job, result: { ...job.result, ...named } };
  }
}

/** The actor of a job. The audit entry of its start has the address of the request. */
export function authorOf(job: JobRow): Actor {
  return {
    actorId: job.startedBy,
    name: job.startedByName,
    requestId: job.requestId,
    address: null,
    reason: job.reason,
  };
}

/** The audit entry of a job's end. */
function endOf(job: JobRow): NewAuditEntry {
  return {
    actor: authorOf(job),
    action: 'job.end',
    subject: `job:${job.id}`,
    deviceId: job.deviceId,
    jobId: job.id,
    facts: { kind: job.kind, outcome: job.outcome, result: job.result, failure: job.failure },
  };
}

function takeOut<Row extends Pick<JobRow, 'epoch'>>(
  rows: Map<string, Row>,
  jobId: string,
  epoch: number,
): Row | undefined {
  const row = rows.get(jobId);
  if (row?.epoch !== epoch) return undefined;
  rows.delete(jobId);
  return row;
}
