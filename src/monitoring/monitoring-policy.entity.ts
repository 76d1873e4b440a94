import { Column, Entity } from 'typeorm';
import { AuthoredRow } from '../recurring/recurring.js';
import { type ExtraMetric, type Metric } from './samples/sample-request.js';

/** Which devices are sampled, how often, and what of them. */
@Entity({ name: 'monitoring_policy' })
export class MonitoringPolicy extends AuthoredRow {
  @Column('text') selector!: string;
  @Column('integer', { name: 'every_seconds' }) everySeconds!: number;
  @Column('text', { array: true }) metrics!: Metric[];
  @Column('jsonb') extra!: ExtraMetric[];
  /** Of each device and month. */
  @Column('integer', { name: 'budget_mb', nullable: true }) budgetMb!: number | null;
  @Column('boolean') enabled!: boolean;
  /** Why it names no devices now: a code of the error table. */
  @Column('text', { name: 'last_error', nullable: true }) lastError!: string | null;
}
