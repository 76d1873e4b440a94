import { Column, Entity } from 'typeorm';
import { AuthoredRow } from '../../recurring/recurring.js';

/** Which paths of which devices are read, and how often. */
@Entity({ name: 'watch' })
export class Watch extends AuthoredRow {
  @Column('text') selector!: string;
  @Column('text', { array: true }) paths!: string[];
  @Column('integer', { name: 'every_seconds' }) everySeconds!: number;
  @Column('boolean') enabled!: boolean;
  /** Why it names no devices now: a code of the error table. */
  @Column('text', { name: 'last_error', nullable: true }) lastError!: string | null;
}
