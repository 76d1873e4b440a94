import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Facts } from '../../platform/errors.js';
import { type JobOutcome, type JobPhase } from '../../artifacts/artifact-jobs.js';
import { type Failure, type Intent, type JobState } from './job-state.js';

/** One long operation on one device: the truth about it, its schedule included. The queue only hands this row out. */
@Entity({ name: 'job' })
export class Job implements JobState {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'device_id' }) deviceId!: string;
  @Column('text') kind!: string;
  @Column('jsonb') spec!: unknown;
  @Column('text') phase!: JobPhase;
  @Column('text', { nullable: true }) outcome!: JobOutcome | null;
  /** Where the kind stands; only the kind reads it. */
  @Column('jsonb') cursor!: unknown;
  @Column('timestamptz', { name: 'wake_at' }) wakeAt!: Date;
  @Column('text', { name: 'wait_reason', nullable: true }) waitReason!: string | null;
  @Column('timestamptz', { name: 'deadline_at' }) deadlineAt!: Date;
  @Column('integer') attempts!: number;
  @Column('integer', { name: 'lost_workers' }) lostWorkers!: number;
  @Column('integer') trials!: number;
  @Column('text', { name: 'lost_by', nullable: true }) lostBy!: string | null;
  @Column('timestamptz', { name: 'lost_at', nullable: true }) lostAt!: Date | null;
  @Column('boolean', { name: 'tried_alone' }) triedAlone!: boolean;
  /** Rises with every dispatch and every lost lease; who holds an older one may not write. */
  @Column('integer') epoch!: number;
  /** By the clock of the database, which all workers share. */
  @Column('timestamptz', { name: 'lease_until', nullable: true }) leaseUntil!: Date | null;
  @Column('text', { nullable: true }) owner!: string | null;
  @Column('jsonb', { nullable: true }) intent!: Intent | null;
  @Column('timestamptz', { name: 'cancel_asked_at', nullable: true }) cancelAskedAt!: Date | null;
  @Column('jsonb', { nullable: true }) result!: Facts | null;
  /** Why it ended without success; while it waits, the last problem. */
  @Column('jsonb', { nullable: true }) failure!: Failure | null;
  /** One of many of a rollout: it never takes the slots that are reserved for people. */
  @Column('boolean', { name: 'is_bulk' }) fromRollout!: boolean;
  /** Subject of the actor in whose name the job calls the device. */
  @Column('text', { name: 'started_by' }) startedBy!: string;
  @Column('text', { name: 'started_by_name' }) startedByName!: string;
  /** Who may be asked whether it goes on; null for jobs of the gateway itself. */
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { name: 'request_id', nullable: true }) requestId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** When a worker first took it up; from then until its end the device is its own. */
  @Column('timestamptz', { name: 'started_at', nullable: true }) startedAt!: Date | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
}

/** A job as a value: what the pure functions take and give. */
export type JobRow = { readonly [Field in keyof Job]: Job[Field] };

/** What a job did, step by step, in words for people. */
@Entity({ name: 'job_event' })
export class JobEvent {
  @PrimaryColumn('uuid', { name: 'job_id' }) jobId!: string;
  @PrimaryColumn('integer') ordinal!: number;
  @Column('timestamptz') at!: Date;
  @Column('text') step!: string;
  @Column('text') text!: string;
  @Column('jsonb') facts!: Facts;
}
