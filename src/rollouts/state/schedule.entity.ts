import { Column, Entity } from 'typeorm';
import { RecurringRow } from '../../platform/database/recurring.js';
import { type RolloutInput } from './rollouts.contract.js';

/** What a schedule makes each time it runs. */
export type RolloutTemplate = Omit<RolloutInput, 'startsAt' | 'dryRun'>;

/** Starts a rollout from a template, again and again, in the name of who made it. */
@Entity({ name: 'schedule' })
export class Schedule extends RecurringRow {
  @Column('jsonb') template!: RolloutTemplate;
  /** What becomes of runs that were missed while nothing ran. */
  @Column('text') missed!: 'once' | 'skip';
  @Column('uuid', { name: 'last_rollout_id', nullable: true }) lastRolloutId!: string | null;
}
