import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Facts } from '../../platform/errors.js';
import { type JobOutcome, type JobPhase } from '../../artifacts/job-phases.js';
import { type Failure, type Intent, type JobState } from './job-state.js';

/** One long operation on one device, with the time of its next step. This row is the only truth; the queue only hands it out. */
@Entity({ name: 'job' })
export class Job implements JobState {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'device_id' }) deviceId!: string;
  @Column('text') kind!: string;
  @Column('jsonb') spec!: unknown;
  @Column('text') phase!: JobPhase;
  @Column('text', { nullable: true }) outcome!: JobOutcome | null;
  /** The state of the kind; only the kind reads it. */
  @Column('jsonb') cursor!: unknown;
  @Column('timestamptz', { name: 'wake_at' }) wakeAt!: Date;
  @Column('text', { name: 'wait_reason', nullable: true }) waitReason!: string | null;
  @Column('timestamptz', { name: 'deadline_at' }) deadlineAt!: Date;
  @Column('integer') attempts!: number;
  @Column('integer', { name: 'lost_workers' }) lostWorkers!: number;
  /** Rises with each dispatch and each lost lease. A worker with an older epoch may not write. */
  @Column('integer') epoch!: number;
  /** By the clock of the database, which all workers share. */
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('text', { nullable: true }) owner!: string | null;
  @Column('jsonb', { nullable: true }) intent!: Intent | null;
  @Column('timestamptz', { name: 'cancel_asked_at', nullable: true }) cancelAskedAt!: Date | null;
  @Column('jsonb', { nullable: true }) result!: Facts | null;
  /** Why it ended without success; while it waits, the last error. */
  @Column('jsonb', { nullable: true }) failure!: Failure | null;
  /** Whether a rollout or a backup policy started it: then it never uses the capacity that is reserved for interactive jobs. */
  @Column('boolean', { name: 'is_bulk' }) isBulk!: boolean;
  /** The `actorId` of its author, in whose name the job calls the device. */
  @Column('text', { name: 'started_by' }) startedBy!: string;
  @Column('text', { name: 'started_by_name' }) startedByName!: string;
  /** Whose rights the job needs until its point of no return; null for jobs of the gateway itself. */
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /**
   * When a worker first claimed it; `createdAt` is when its author started it. From the claim until its end no other job
   * runs on the device.
   */
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
}

/** A job as an immutable value, for pure functions. */
export type JobRow = { readonly [Field in keyof Job]: Job[Field] };

/** A line of a job's log, in words for people. */
@Entity({ name: 'job_log_line' })
export class JobLogLine {
  @PrimaryColumn('uuid', { name: 'job_id' }) jobId!: string;
  @PrimaryColumn('integer') ordinal!: number;
  @Column('timestamptz') at!: Date;
  @Column('text') step!: string;
  @Column('text') text!: string;
  @Column('jsonb') facts!: Facts;
}
