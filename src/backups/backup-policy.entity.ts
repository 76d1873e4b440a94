import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** Makes backups of devices, again and again, in the name of who made it. */
@Entity({ name: 'backup_policy' })
export class BackupPolicy {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  selector!: string;

  @Column('text', { nullable: true })
  cron!: string | null;

  @Column('integer', { name: 'every_seconds', nullable: true })
  everySeconds!: number | null;

  @Column('text', { name: 'time_zone' })
  timeZone!: string;

  /** Of each device, the newest ones. */
  @Column('integer', { name: 'keep_count' })
  keepCount!: number;

  /** The newest of a device stays, however old. */
  @Column('integer', { name: 'keep_days', nullable: true })
  keepDays!: number | null;

  /** Whether a backup with the content of the last one confirms that one instead of standing beside it. */
  @Column('boolean', { name: 'only_changes' })
  onlyChanges!: boolean;

  /** The sealed value that backups are encrypted with; null: they are stored as they are. */
  @Column('uuid', { nullable: true })
  passphrase!: string | null;

  @Column('boolean')
  enabled!: boolean;

  @Column('timestamptz', { name: 'next_run_at', nullable: true })
  nextRunAt!: Date | null;

  @Column('timestamptz', { name: 'last_run_at', nullable: true })
  lastRunAt!: Date | null;

  /** Jobs that the last run started. */
  @Column('integer', { name: 'last_started', nullable: true })
  lastStarted!: number | null;

  /** Why the last run started nothing: a code of the error table. */
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
