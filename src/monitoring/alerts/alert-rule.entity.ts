import { Column, Entity } from 'typeorm';
import { AuthoredRow } from '../../recurring/recurring.js';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Which devices need attention. It sees the devices that its author may see. */
@Entity({ name: 'alert_rule' })
export class AlertRule extends AuthoredRow {
  @Column('text') selector!: string;
  /** A device that matches for so long has an open alert. */
  @Column('integer', { name: 'for_seconds' }) forSeconds!: number;
  /** An alert whose condition is over for so long closes. */
  @Column('integer', { name: 'clear_after_seconds' }) clearAfterSeconds!: number;
  /** What a device that no longer matches must meet, too, before its condition is over; null: nothing. */
  @Column('text', { name: 'clear_selector', nullable: true }) clearSelector!: string | null;
  @Column('text') severity!: Severity;
  @Column('text') note!: string;
  @Column('boolean') enabled!: boolean;
  /** Why it judges no devices now: a code of the error table. */
  @Column('text', { name: 'last_error', nullable: true }) lastError!: string | null;
  @Column('timestamptz', { name: 'judged_at', nullable: true }) judgedAt!: Date | null;
}
