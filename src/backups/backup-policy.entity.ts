import { Column, Entity } from 'typeorm';
import { RecurringRow } from '../recurring/recurring.js';

/** Makes backups of devices repeatedly, in the name of its author. */
@Entity({ name: 'backup_policy' })
export class BackupPolicy extends RecurringRow {
  @Column('text') selector!: string;
  /** Of each device, the newest ones. */
  @Column('integer', { name: 'keep_count' }) keepCount!: number;
  /** The newest of a device stays, however old. */
  @Column('integer', { name: 'keep_days', nullable: true }) keepDays!: number | null;
  /** Whether a backup with the content of the last one confirms that one instead of standing beside it. */
  @Column('boolean', { name: 'only_changes' }) onlyChanges!: boolean;
  /** The sealed value that backups are encrypted with; null: they are stored as they are. */
  @Column('uuid', { nullable: true }) passphrase!: string | null;
  @Column('integer', { name: 'last_started', nullable: true }) lastStarted!: number | null;
}
