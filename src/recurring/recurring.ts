import { Column, PrimaryColumn, VersionColumn } from 'typeorm';
import { type Actor } from '../platform/actor.js';
import { nextRun, nextRuns, type Rhythm } from './rhythm.js';

/* Rows that act in the name of their author, and those of them that run again and again: schedules and backup policies. */

/** A row that acts in the name and the rights of its author. */
export abstract class AuthoredRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('text') name!: string;
  @Column('text', { name: 'created_by' }) createdBy!: string;
  @Column('text', { name: 'created_by_name' }) createdByName!: string;
  @Column('uuid', { name: 'operator_id', nullable: true }) operatorId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @VersionColumn() version!: number;
}

export abstract class RecurringRow extends AuthoredRow {
  @Column('text', { nullable: true }) cron!: string | null;
  @Column('integer', { name: 'every_seconds', nullable: true }) everySeconds!: number | null;
  @Column('text', { name: 'time_zone' }) timeZone!: string;
  @Column('boolean') enabled!: boolean;
  @Column('timestamptz', { name: 'next_run_at', nullable: true }) nextRunAt!: Date | null;
  @Column('timestamptz', { name: 'last_run_at', nullable: true }) lastRunAt!: Date | null;
  /** Why the last run started nothing: a code of the error table. */
  @Column('text', { name: 'last_error', nullable: true }) lastError!: string | null;
  /** When it was stopped, because it took its processes down. */
  @Column('timestamptz', { name: 'quarantined_at', nullable: true }) quarantinedAt!: Date | null;
}

export function authorFields({ actorId, name, operatorId }: Actor & { readonly operatorId: string | null }) {
  return { createdBy: actorId, createdByName: name, operatorId };
}

export function rhythmOf({ cron, everySeconds, timeZone }: RecurringRow): Rhythm {
  return cron === null ? { everySeconds: everySeconds! } : { cron, timeZone };
}

/** What callers say of each kind of these rows. */
export interface RecurringInput {
  readonly name: string;
  readonly rhythm: Rhythm;
  readonly enabled: boolean;
}

/** The fields that a new rhythm sets. */
export function rhythmFields({ name, rhythm, enabled }: RecurringInput, now: Date, createdAt: Date) {
  const isCron = 'cron' in rhythm;
  return {
    name,
    cron: isCron ? rhythm.cron : null,
    everySeconds: isCron ? null : rhythm.everySeconds,
    timeZone: isCron ? rhythm.timeZone : 'UTC',
    enabled,
    quarantinedAt: null,
    nextRunAt: enabled ? new Date(nextRun(rhythm, now.getTime(), createdAt.getTime())) : null,
  };
}

export function nextRunAt(row: RecurringRow, now: Date): Date {
  return new Date(nextRun(rhythmOf(row), now.getTime(), row.createdAt.getTime()));
}

/** Tables of rows that act in the name of an author; audit entries, error codes and constraints are named after them too. */
export type AuthoredNoun = RecurringNoun | 'monitoring_policy' | 'alert_rule' | 'watch' | 'template';
export type RecurringNoun = 'schedule' | 'backup_policy';

/** The next runs of a row; none while it is not enabled. */
export function nextRunsOf(row: RecurringRow, now: Date, count: number): Date[] {
  if (!row.enabled) return [];
  return nextRuns(rhythmOf(row), now.getTime(), row.createdAt.getTime(), count).map((at) => new Date(at));
}
