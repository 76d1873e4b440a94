import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import { type RolloutInput } from './rollouts.contract.js';

/** What a schedule makes each time it runs. */
export type RolloutTemplate = Omit<RolloutInput, 'startsAt' | 'dryRun'>;

/** Starts a rollout from a template, again and again, in the name of who made it. */
@Entity({ name: 'schedule' })
export class Schedule {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  cron!: string | null;

  @Column('integer', { name: 'every_seconds', nullable: true })
  everySeconds!: number | null;

  @Column('text', { name: 'time_zone' })
  timeZone!: string;

  @Column('jsonb')
  template!: RolloutTemplate;

  /** What becomes of runs that were missed while nothing ran. */
  @Column('text')
  missed!: 'once' | 'skip';

  @Column('boolean')
  enabled!: boolean;

  @Column('timestamptz', { name: 'next_run_at', nullable: true })
  nextRunAt!: Date | null;

  @Column('timestamptz', { name: 'last_run_at', nullable: true })
  lastRunAt!: Date | null;

  @Column('uuid', { name: 'last_rollout_id', nullable: true })
  lastRolloutId!: string | null;

  /** Why the last run made no rollout. */
  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  /** When it was stopped, because it took its processes down. */
  @Column('timestamptz', { name: 'quarantined_at', nullable: true })
  quarantinedAt!: Date | null;

  @Column('text', { name: 'created_by' })
  createdBy!: string;

  @Column('text', { name: 'created_by_name' })
  createdByName!: string;

  @Column('uuid', { name: 'operator_id', nullable: true })
  operatorId!: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @VersionColumn()
  version!: number;
}
